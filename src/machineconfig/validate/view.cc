#include "machineconfig/validate/view.h"

#include <charconv>

namespace ichor::validate {

View View::operator[](std::string_view key) const {
  return {node_ != nullptr ? node_->find(key) : nullptr, at_};
}

const std::string& View::text() const {
  static const std::string none;
  return node_ != nullptr && node_->is_scalar() ? node_->text : none;
}

std::int64_t View::number() const {
  std::int64_t number = 0;
  std::from_chars(text().data(), text().data() + text().size(), number);
  return number;
}

std::vector<View> View::items() const {
  std::vector<View> views;
  if (node_ == nullptr) return views;
  for (const yaml::Node& item : node_->items) views.emplace_back(&item, at_);
  return views;
}

std::vector<std::pair<std::string, View>> View::entries() const {
  std::vector<std::pair<std::string, View>> views;
  if (node_ == nullptr) return views;
  for (const yaml::Entry& entry : node_->entries) {
    views.emplace_back(entry.key.text, View(&entry.value, at_));
  }
  return views;
}

std::size_t View::count() const {
  return node_ == nullptr ? 0 : node_->items.size() + node_->entries.size();
}

}  // namespace ichor::validate
