#pragma once

#include <utility>

namespace ichor {

/// A link that leaves its list when it dies, so that a destroyed waiter can never be woken.
class ListNode {
 public:
  ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  ~ListNode() { unlink(); }

  bool linked() const { return next_ != nullptr; }
  void unlink() {
    if (!next_) return;
    prev_->next_ = next_;
    next_->prev_ = prev_;
    next_ = prev_ = nullptr;
  }

 private:
  template <class T>
  friend class List;
  ListNode* prev_{nullptr};
  ListNode* next_{nullptr};
};

/// First in, first out, of nodes that live elsewhere. No allocation, O(1) everywhere.
template <class T>
class List {
 public:
  List() { head_.prev_ = head_.next_ = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() {
    while (!empty()) head_.next_->unlink();
    head_.next_ = head_.prev_ = nullptr;
  }

  bool empty() const { return head_.next_ == &head_; }

  void push_back(T& node) {
    ListNode& link = node;
    link.unlink();
    link.prev_ = head_.prev_;
    link.next_ = &head_;
    head_.prev_->next_ = &link;
    head_.prev_ = &link;
  }

  T* pop_front() {
    if (empty()) return nullptr;
    ListNode* first = head_.next_;
    first->unlink();
    return static_cast<T*>(first);
  }

  /// Moves every node of `other` behind the nodes here.
  void take(List& other) {
    while (T* node = other.pop_front()) push_back(*node);
  }

 private:
  ListNode head_;
};

}  // namespace ichor
