#pragma once

#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "port/terminal.h"

namespace ichor {

/// What a command showed, kept for the test to look at.
class KeptDisplay final : public Display {
 public:
  void begin(const ClusterProfile&) override {}
  void emit(const Event& event) override { events.push_back(event); }
  void show(const Listing& listing) override { listings.push_back(listing); }
  void show(const History& history) override { histories.push_back(history); }
  void end(const Summary& last) override {
    check(summaries.empty(), "a command ends once");
    summaries.push_back(last);
  }

  const Summary& summary() const {
    check(!summaries.empty(), "the command said how it ended");
    return summaries.back();
  }
  /// The rows of one type, each reduced to the values of `keys`.
  std::vector<std::string> rows(const std::string& type,
                                const std::vector<std::string>& keys) const {
    std::vector<std::string> found;
    for (const Listing& listing : listings) {
      if (listing.type != type) continue;
      for (const auto& row : listing.rows) {
        std::string text;
        for (const std::string& key : keys) {
          text += (text.empty() ? "" : " ") + row.value(key, std::string());
        }
        found.push_back(std::move(text));
      }
    }
    return found;
  }

  std::deque<Event> events;
  std::vector<Listing> listings;
  std::vector<History> histories;
  std::vector<Summary> summaries;
};

class FakeTerminal : public Terminal {
 public:
  KeptDisplay& display() override { return display_; }
  std::ostream& out() override { return out_; }
  std::ostream& err() override { return err_; }

  std::string printed() const { return out_.str(); }

 private:
  KeptDisplay display_;
  std::ostringstream out_;
  std::ostringstream err_;
};

}  // namespace ichor
