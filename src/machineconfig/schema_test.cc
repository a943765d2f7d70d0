#include "machineconfig/schema.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace ichor::schema {
namespace {

using ::testing::Contains;
using ::testing::Not;

const Field& field(const Object& object, std::string_view key) {
  const Field* found = object.find(key);
  EXPECT_NE(found, nullptr) << object.name << "." << key;
  static const Field nothing;
  return found != nullptr ? *found : nothing;
}

TEST(Schema, KnowsTheTreeOfTheV1Alpha1Document) {
  const Object& machine = *field(Schema::get().config(), "machine").object;
  EXPECT_TRUE(field(machine, "token").identity);
  EXPECT_TRUE(field(machine, "token").secret);
  EXPECT_EQ(field(machine, "certSANs").form, Form::list);
  EXPECT_TRUE(field(machine, "certSANs").keep.holds(13));
  EXPECT_EQ(field(machine, "sysctls").form, Form::map);
  const Object& network = *field(machine, "network").object;
  EXPECT_EQ(field(network, "interfaces").merge_key, "interface");
  EXPECT_EQ(field(*field(network, "interfaces").object, "vlans").merge_key, "vlanId");
  const Object& cluster = *field(Schema::get().config(), "cluster").object;
  EXPECT_TRUE(field(*field(cluster, "network").object, "podSubnets").replace.holds(13));
  EXPECT_EQ(field(*field(cluster, "apiServer").object, "auditPolicy").shape, Shape::free);
}

TEST(Schema, WordsOfAChoiceComeAndGoWithVersions) {
  const Schema& schema = Schema::get();
  const Choice& type =
      *field(*field(schema.find("UserVolumeConfig")->object, "filesystem").object, "type").choice;
  EXPECT_THAT(type.words_of(12), Contains("swap"));
  EXPECT_THAT(type.words_of(12), Not(Contains("virtiofs")));
  EXPECT_THAT(type.words_of(13), Contains("virtiofs"));
  EXPECT_THAT(type.words_of(13), Not(Contains("swap")));
}

TEST(Schema, HowAKeyIsTreatedChangesWithVersions) {
  const Schema& schema = Schema::get();
  const Object& cluster = *field(schema.config(), "cluster").object;
  EXPECT_TRUE(field(cluster, "controlPlane").keep.holds(13));
  EXPECT_FALSE(field(cluster, "controlPlane").keep.holds(14));
  const Object& resolver = schema.find("ResolverConfig")->object;
  const Field& domains = field(*field(resolver, "searchDomains").object, "domains");
  EXPECT_FALSE(domains.replace.holds(13));
  EXPECT_TRUE(domains.replace.holds(14));
  EXPECT_EQ(field(resolver, "hostDNS").since_minor, 14);
}

TEST(Schema, KnowsTheTypedDocumentsAndSinceWhen) {
  const Schema& schema = Schema::get();
  EXPECT_EQ(schema.documents().size(), 89u);
  const auto of_14 = std::count_if(schema.documents().begin(), schema.documents().end(),
                                   [](const DocumentKind& one) { return one.since_minor == 14; });
  EXPECT_EQ(of_14, 45);
  EXPECT_EQ(schema.find("HostnameConfig")->since_minor, 12);
  EXPECT_FALSE(schema.find("HostnameConfig")->named);
  EXPECT_EQ(schema.find("VolumeConfig")->since_minor, 8);
  EXPECT_EQ(schema.find("KubeSpanConfig")->since_minor, 13);
  EXPECT_EQ(schema.find("BondConfig")->claims, schema.find("LinkConfig")->claims);
  EXPECT_EQ(schema.find("Bond"), nullptr);
  EXPECT_EQ(field(schema.find("OOMConfig")->object, "strictCgroupClassOrdering").since_minor, 13);
  const Field& mode = field(schema.find("BondConfig")->object, "bondMode");
  EXPECT_EQ(mode.choice->words.front().text, "balance-rr");
  EXPECT_TRUE(mode.pointer);
}

TEST(Schema, ADocumentAndAnObjectOfOneNameAreTwo) {
  const Object& machine = *field(Schema::get().config(), "machine").object;
  const Object& mirrors = *field(*field(machine, "registries").object, "mirrors").object;
  EXPECT_EQ(field(mirrors, "endpoints").shape, Shape::text);
  const Object& document = Schema::get().find("RegistryMirrorConfig")->object;
  EXPECT_EQ(field(document, "endpoints").shape, Shape::object);
}

TEST(Schema, EveryObjectIsReachableAndHasEachKeyOnce) {
  std::set<const Object*> seen;
  const auto visit = [&](const auto& self, const Object& object) -> void {
    if (!seen.insert(&object).second) return;
    std::set<std::string> keys;
    for (const Field& one : object.fields) {
      EXPECT_TRUE(keys.insert(one.key).second) << object.name << "." << one.key;
      if (one.object != nullptr) self(self, *one.object);
    }
  };
  visit(visit, Schema::get().config());
  EXPECT_GT(seen.size(), 60u);
  for (const DocumentKind& document : Schema::get().documents()) visit(visit, document.object);
  EXPECT_GT(seen.size(), 130u);
}

}  // namespace
}  // namespace ichor::schema
