#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/mapping_reader.h"
#include "yaml/node.h"

namespace ichor {

using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// Replaces $NAME, ${NAME} and ${NAME:-default} (also with -, :=, =, + and :+) as the shell does;
/// $$ is a dollar sign. A variable that is not set, or that is empty, is an error that names it:
/// what a secret file lacks must not become an empty value. Values are not substituted again.
tl::expected<std::string, std::string> substitute(std::string_view text,
                                                  const Variables& variables);

/// The same for all keys and values of a document. An unquoted value may become a number, a flag,
/// or a list or mapping in flow style. Errors are findings with their place.
void substitute(yaml::Node& node, const Variables& variables, ReadingLog& log);

}  // namespace ichor
