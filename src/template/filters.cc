#include "template/filters.h"

#include <algorithm>

namespace ichor::jinja {

namespace {

/// All filters, sorted by name.
const std::vector<Filter>& all_filters() {
  static const std::vector<Filter> all = [] {
    std::vector<Filter> filters;
    for (const auto* group : {&text_filters(), &layout_filters(), &list_filters(), &order_filters(),
                              &choice_filters(), &value_filters()}) {
      filters.insert(filters.end(), group->begin(), group->end());
    }
    std::sort(filters.begin(), filters.end(),
              [](const Filter& a, const Filter& b) { return a.name < b.name; });
    return filters;
  }();
  return all;
}

}  // namespace

const Filter* find_filter(std::string_view name) {
  const auto& all = all_filters();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const Filter& filter, std::string_view n) { return filter.name < n; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

const std::vector<std::string_view>& filter_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Filter& filter : all_filters()) result.push_back(filter.name);
    return result;
  }();
  return names;
}

}  // namespace ichor::jinja
