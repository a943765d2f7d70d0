#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

KubeObject namespaced(const char* value) {
  KubeObject object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  object["metadata"] = {{"name", "c"}, {"namespace", "default"}};
  object["data"]["key"] = value;
  return object;
}

TEST(ForeignFields, HoldsForForceWithoutAnotherOwner) {
  KubeHistory history("I28");
  history.applies(namespaced("a"), {false, true});
  history.applies(namespaced("b"), {false, true});
  EXPECT_EQ(history.violation(), "");
}

TEST(ForeignFields, HoldsForAConflictThatIsLeftAlone) {
  KubeHistory history("I28");
  history.kube.api().put(namespaced("theirs"), "kubectl");
  history.applies(namespaced("ours"));
  EXPECT_EQ(history.violation(), "");
  EXPECT_EQ((*history.kube.api().find(ref_of(namespaced(""))))["data"]["key"], "theirs");
}

TEST(ForeignFields, IsBrokenByForceOverAnotherOwner) {
  KubeHistory history("I28");
  history.kube.api().put(namespaced("theirs"), "kubectl");
  history.applies(namespaced("ours"), {false, true});
  EXPECT_THAT(history.violation(), HasSubstr("kubectl owns /data/key"));
}

}  // namespace
}  // namespace ichor::sim
