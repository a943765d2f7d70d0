#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/kube_client.h"

namespace ichor {

/// The entry of an APIResourceList that a kind, plural, singular or short name means; nothing if
/// there is none. Subresources are not looked at.
std::optional<KubeResource> find_resource(const nlohmann::json& resource_list,
                                          std::string_view name);

/// The versions of a group, the preferred one first, of an APIGroup or an item of APIGroupList.
std::vector<std::string> versions_of(const nlohmann::json& group);

/// "/api/v1" or "/apis/GROUP/VERSION".
std::string group_version_path(const std::string& group, const std::string& version);

/// The path of a kind's collection, or with a name of one object.
std::string path_of(const KubeResource& resource, const std::string& name_space,
                    const std::string& name = {});

/// "?a=b&c=d" with what must be escaped; parameters without a value are left out.
std::string query_text(const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace ichor
