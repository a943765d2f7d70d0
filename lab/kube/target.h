#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ichor::lab {

/// Path and query of a request.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;

  static Target parse(const std::string& text);
  std::vector<std::string> segments() const;
  std::string get(const std::string& key) const;
  bool flag(const std::string& key) const;
};

/// A path of the form /apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUBRESOURCE.
struct Place {
  std::string group;
  std::string version;
  std::string space;
  std::string plural;
  std::string name;
  std::string subresource;

  /// With an empty plural for other paths.
  static Place of(const Target& target);
};

}  // namespace ichor::lab
