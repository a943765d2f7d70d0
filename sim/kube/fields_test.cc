#include "sim/kube/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor::sim {
namespace {

using ::testing::ElementsAre;

KubeObject secret(const KubeObject& data) {
  KubeObject object{{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", {{"name", "s"}}}};
  object["data"] = data;
  return object;
}

/// A Secret that `operator` made with one key.
class FieldsTest : public ::testing::Test {
 protected:
  FieldsTest() { take_changed(nullptr, live_, "operator", owners_); }
  Merge apply(const KubeObject& data, bool force = false) {
    return merge_applied(&live_, owners_, secret(data), "ichor", force);
  }
  KubeObject live_ = secret({{"theirs", "a"}});
  FieldOwners owners_;
};

TEST_F(FieldsTest, AreWhatAManagerSaysAndNotWhatTheServerAdds) {
  KubeObject object = secret({{"a.b", "x"}, {"empty", KubeObject::object()}});
  object["metadata"]["uid"] = "u";
  object["metadata"]["labels"] = {{"tier/one", "y"}};
  object["status"]["phase"] = "Active";
  EXPECT_THAT(fields_of(object),
              ElementsAre("/data/a.b", "/data/empty", "/metadata/labels/tier~1one"));
}

TEST_F(FieldsTest, OfAnotherManagerStandInTheWay) {
  const Merge merge = apply({{"theirs", "b"}});
  EXPECT_THAT(merge.conflicts, ElementsAre(FieldConflict{"operator", "/data/theirs"}));
  EXPECT_EQ(to_text(merge.conflicts),
            "Apply failed with 1 conflict: conflict with \"operator\": .data.theirs");
}

TEST_F(FieldsTest, WithTheSameValueAreShared) {
  const Merge merge = apply({{"theirs", "a"}, {"ours", "x"}});
  EXPECT_TRUE(merge.conflicts.empty());
  EXPECT_EQ(merge.object["data"], KubeObject({{"theirs", "a"}, {"ours", "x"}}));
  EXPECT_TRUE(merge.owners.at("operator").contains("/data/theirs"));
  EXPECT_TRUE(merge.owners.at("ichor").contains("/data/theirs"));
}

TEST_F(FieldsTest, AreTakenOverByForceOnly) {
  const Merge merge = apply({{"theirs", "b"}}, true);
  EXPECT_EQ(merge.object["data"]["theirs"], "b");
  EXPECT_FALSE(merge.owners.contains("operator"));
}

TEST_F(FieldsTest, GoAwayWithTheLastOneWhoWantsThem) {
  const Merge first = apply({{"theirs", "a"}, {"ours", "x"}});
  live_ = first.object;
  owners_ = first.owners;
  const Merge second = apply({{"other", "y"}});
  EXPECT_EQ(second.object["data"], KubeObject({{"theirs", "a"}, {"other", "y"}}))
      << "theirs stays, ours goes";
}

TEST_F(FieldsTest, WithinAFieldOfAnotherManagerConflictToo) {
  KubeObject applied = secret({{"theirs", {{"inner", 1}}}});
  const Merge merge = merge_applied(&live_, owners_, applied, "ichor", false);
  EXPECT_EQ(merge.conflicts.size(), 1u);
}

TEST_F(FieldsTest, OfAnEmptyMapLeaveWhatOthersHaveInIt) {
  const Merge keeps = apply(KubeObject::object());
  EXPECT_TRUE(keeps.conflicts.empty());
  EXPECT_EQ(keeps.object["data"], KubeObject({{"theirs", "a"}}));
  EXPECT_THAT(keeps.owners.at("ichor"), ElementsAre("/data"));
  const Merge filled =
      merge_applied(&keeps.object, keeps.owners, secret({{"third", "c"}}), "other", false);
  EXPECT_TRUE(filled.conflicts.empty()) << "the map is there, and no manager has the field";
}

TEST_F(FieldsTest, GoAwayThoughAnotherManagerHasTheMap) {
  const Merge first = apply({{"ours", "x"}});
  const Merge third =
      merge_applied(&first.object, first.owners, secret(KubeObject::object()), "third", false);
  const Merge second =
      merge_applied(&third.object, third.owners, secret(KubeObject::object()), "ichor", false);
  EXPECT_EQ(second.object["data"], KubeObject({{"theirs", "a"}}));
}

TEST_F(FieldsTest, InAMapThatIsGoneConflictOnceWithTheOwnerOfTheMap) {
  const Merge kept = apply(KubeObject::object());
  KubeObject gone = kept.object;
  gone.erase("data");
  FieldOwners owners = kept.owners;
  owners.erase("operator");
  const Merge merge = merge_applied(&gone, owners, secret({{"a", "1"}, {"b", "2"}}), "two", false);
  EXPECT_THAT(merge.conflicts, ElementsAre(FieldConflict{"ichor", "/data"}));
}

TEST_F(FieldsTest, InTheWayAreListedByTheirManagers) {
  const std::string label = "/metadata/labels/example.org~1tier";
  EXPECT_EQ(to_text(FieldConflict{"x", label}), ".metadata.labels.example.org/tier");
  EXPECT_EQ(to_text(std::vector<FieldConflict>{{"two", "/data/k"}, {"one", "/data/k"}}),
            "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\nconflicts with "
            "\"two\":\n- .data.k");
}

TEST_F(FieldsTest, BelongToWhoeverChangedThemLast) {
  KubeObject now = secret({{"theirs", "c"}, {"new", "d"}});
  take_changed(&live_, now, "kubectl-edit", owners_);
  EXPECT_FALSE(owners_.contains("operator"));
  EXPECT_THAT(owners_.at("kubectl-edit"), ElementsAre("/data/new", "/data/theirs"));
}

}  // namespace
}  // namespace ichor::sim
