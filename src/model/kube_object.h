#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ichor {

using KubeObject = nlohmann::json;
using KubeObjects = std::vector<KubeObject>;

/// An object as a server showed it. It never changes, so all readers share it.
using SeenObject = std::shared_ptr<const KubeObject>;

/// Objects as a server showed them. A copy shares them, because a tree of JSON is dear to copy and
/// a list of them goes through many hands. Reads like a vector of KubeObject.
class SeenObjects {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = KubeObject;
    using difference_type = std::ptrdiff_t;
    using pointer = const KubeObject*;
    using reference = const KubeObject&;

    Iterator() = default;
    explicit Iterator(std::vector<SeenObject>::const_iterator at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    std::vector<SeenObject>::const_iterator at_;
  };

  SeenObjects() = default;
  SeenObjects(std::initializer_list<KubeObject> objects) {
    for (const KubeObject& object : objects) push_back(object);
  }

  Iterator begin() const { return Iterator(objects_.begin()); }
  Iterator end() const { return Iterator(objects_.end()); }
  std::size_t size() const { return objects_.size(); }
  bool empty() const { return objects_.empty(); }
  const KubeObject& operator[](std::size_t index) const { return *objects_[index]; }
  const KubeObject& front() const { return *objects_.front(); }

  /// The objects themselves, for whoever keeps or moves them.
  std::vector<SeenObject>& shared() { return objects_; }
  const std::vector<SeenObject>& shared() const { return objects_; }

  void push_back(KubeObject object) {
    objects_.push_back(std::make_shared<const KubeObject>(std::move(object)));
  }
  void push_back(SeenObject object) { objects_.push_back(std::move(object)); }
  void clear() { objects_.clear(); }

 private:
  std::vector<SeenObject> objects_;
};

/// A kind of objects. Without a version, the one that the server prefers.
struct KubeKind {
  std::string group;  // "apps"; empty for the core group
  std::string version;
  std::string kind;  // "Deployment"; find_kind() also takes plural, singular and short names

  auto operator<=>(const KubeKind&) const = default;
};

/// One object: "Node/cp1", "Deployment/kube-system/coredns".
struct KubeRef {
  KubeKind kind;
  std::string name_space;  // empty for what belongs to the cluster
  std::string name;

  auto operator<=>(const KubeRef&) const = default;
};

std::string to_text(const KubeRef& ref);
/// What an object says of itself; parts that it lacks are empty.
KubeRef ref_of(const KubeObject& object);
KubeKind kind_of(const KubeObject& object);
/// A kind by the apiVersion and kind of an object: ("apps/v1", "Deployment").
KubeKind kind_of(std::string_view api_version, std::string_view kind);
/// "apps/v1", "v1".
std::string api_version_of(const KubeKind& kind);

struct KubeQuery {
  KubeKind kind;
  std::string name_space;  // empty: all
  std::string labels;      // a selector: "k8s-app=kube-dns"
  std::string fields;      // "metadata.name=coredns"

  auto operator<=>(const KubeQuery&) const = default;
};

}  // namespace ichor
