#include "proxmox/proxmox_provider.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

#include "base/check.h"
#include "proxmox/vm_params.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

using Kind = ProviderError::Kind;

/// Answers with what the test prepared, and keeps what it was asked.
class Answers final : public WebApi {
 public:
  struct Script {
    std::deque<CallResult<WebReply>> replies;
    std::vector<WebAsk> asked;
  };
  explicit Answers(Script& script) : script_(script) {}

  Task<CallResult<WebReply>> ask(Context, WebAsk ask) override {
    script_.asked.push_back(std::move(ask));
    check(!script_.replies.empty(), "there is an answer");
    CallResult<WebReply> reply = std::move(script_.replies.front());
    script_.replies.pop_front();
    co_return reply;
  }

 private:
  Script& script_;
};

class Proxmox : public testing::Test {
 protected:
  void answer(int status, const std::string& body, const std::string& reason = "OK") {
    script.replies.emplace_back(WebReply{status, reason, SecretString(body)});
  }
  template <class T>
  T run(Task<T> task) {
    task.start();
    while (!task.done() && clock.step()) {
    }
    return task.take();
  }

  sim::VirtualClock clock;
  CancelScope scope;
  Context context{&clock, &scope};
  Answers::Script script;
  ProxmoxProvider provider{std::make_unique<Answers>(script), "ichor@pve!lab"};
};

TEST_F(Proxmox, ReadsTheRelease) {
  answer(200, R"({"data":{"version":"9.0.3","release":"9.0"}})");
  const auto version = run(provider.version(context));
  ASSERT_TRUE(version);
  EXPECT_EQ(version->major, 9);
  EXPECT_EQ(version->minor, 0);
  EXPECT_EQ(script.asked[0].target, "/api2/json/version");
}

TEST_F(Proxmox, ATokenWithoutRightsHasNoPrivileges) {
  answer(200, R"({"data":{}})");
  const auto none = run(provider.privileges(context, "/vms/801"));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  answer(200, R"({"data":{"/vms/801":{"VM.Audit":1}}})");
  const auto some = run(provider.privileges(context, "/vms/801"));
  EXPECT_EQ(*some, Privileges{"VM.Audit"});
  EXPECT_EQ(script.asked[1].target, "/api2/json/access/permissions?path=%2Fvms%2F801");
}

TEST_F(Proxmox, TheRoleAdministratorTellsWhatTheReleaseKnows) {
  answer(200, R"({"data":[{"roleid":"PVEAuditor","privs":"VM.Audit"},
    {"roleid":"Administrator","privs":"Datastore.Audit,VM.Allocate","special":1}]})");
  const auto known = run(provider.known_privileges(context));
  ASSERT_TRUE(known);
  EXPECT_EQ(*known, (Privileges{"Datastore.Audit", "VM.Allocate"}));
  answer(200, R"({"data":[]})");
  EXPECT_FALSE(run(provider.known_privileges(context)));
}

TEST_F(Proxmox, OneMachineIsReportedAsItIsNow) {
  answer(200, R"({"data":{"vmid":801,"name":"cp1","status":"running","tags":"ichor-demo"}})");
  const auto vm = run(provider.machine(context, {"pve1", 801}));
  ASSERT_TRUE(vm);
  EXPECT_EQ(vm->place, (VmPlace{"pve1", 801}));
  EXPECT_TRUE(vm->running);
  EXPECT_EQ(vm->tags, std::vector<std::string>{"ichor-demo"});
  EXPECT_EQ(script.asked[0].target, "/api2/json/nodes/pve1/qemu/801/status/current");
}

TEST_F(Proxmox, ATaskWhoseLogIsGoneIsMissing) {
  answer(400, R"({"data":null,"errors":{"upid":"no such task"}})",
         "Parameter verification failed.");
  EXPECT_EQ(
      run(provider.task(context, ProviderTaskId("UPID:pve1:0:0:0:qmstart:801:x:"))).error().kind,
      Kind::missing);
}

TEST_F(Proxmox, ListsMachinesWithTagsAndLocks) {
  answer(200, R"({"data":[{"type":"lxc","vmid":7},{"type":"qemu","vmid":801,"node":"pve1",
    "name":"cp1","status":"running","tags":"ichor-demo;talos","lock":"backup","template":0}]})");
  const auto vms = run(provider.machines(context));
  ASSERT_TRUE(vms);
  ASSERT_EQ(vms->size(), 1u);
  EXPECT_EQ(vms->front().place, (VmPlace{"pve1", 801}));
  EXPECT_EQ(vms->front().tags, (std::vector<std::string>{"ichor-demo", "talos"}));
  EXPECT_TRUE(vms->front().running);
  EXPECT_EQ(vms->front().lock, "backup");
}

TEST_F(Proxmox, ErrorsAreReportedByKindWithTheWordsOfTheStatusLine) {
  const auto error = [&](int status, const std::string& reason) {
    answer(status, R"({"data":null})", reason);
    return run(provider.config(context, {"pve1", 801})).error();
  };
  EXPECT_EQ(error(401, "invalid token value!").kind, Kind::unauthorized);
  EXPECT_EQ(error(403, "Permission check failed (/vms/801, VM.Audit)").kind, Kind::forbidden);
  EXPECT_EQ(error(500, "Configuration file 'x' does not exist").kind, Kind::missing);
  EXPECT_EQ(error(500, "VM is locked (backup)").kind, Kind::locked);
  EXPECT_EQ(error(500, "quota exceeded").kind, Kind::exhausted);
  EXPECT_EQ(error(595, "no route to host").kind, Kind::unreachable);
  const ProviderError other = error(500, "got timeout");
  EXPECT_EQ(other.kind, Kind::refused);
  EXPECT_EQ(to_text(other), "GET /nodes/pve1/qemu/801/config: got timeout");
}

TEST_F(Proxmox, AProxyThatGivesUpLeavesAChangeUnknown) {
  answer(504, "", "Gateway Timeout");
  const auto started = run(provider.start(context, {"pve1", 801}));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().progress, Progress::sent);
}

TEST_F(Proxmox, AnAnswerToAChangeThatIsNoClearNoLeavesItUnknown) {
  const auto progress = [&](int status, const std::string& body) {
    answer(status, body);
    return run(provider.create(context, {})).error().progress;
  };
  EXPECT_EQ(progress(200, R"({"data":null})"), Progress::sent);
  EXPECT_EQ(progress(200, R"({"data":"UP)"), Progress::sent);
  EXPECT_EQ(progress(202, ""), Progress::sent);
  EXPECT_EQ(progress(100, R"({"data":null})"), Progress::sent);
  EXPECT_EQ(progress(0, ""), Progress::sent);
  EXPECT_EQ(progress(600, ""), Progress::sent);
  EXPECT_EQ(progress(302, ""), Progress::answered);
  EXPECT_EQ(progress(400, R"({"data":null})"), Progress::answered);
  EXPECT_EQ(progress(500, R"({"data":null})"), Progress::answered);
  EXPECT_EQ(progress(501, ""), Progress::answered);
  script.replies.emplace_back(tl::unexpected(CallError{
      Call::open, Progress::answered, TlsVerdict::fine, Code::resource_exhausted, "too long"}));
  EXPECT_EQ(run(provider.create(context, {})).error().progress, Progress::sent);
}

TEST_F(Proxmox, ATagIsNotCut) {
  // With 500 bytes the list ended with "ichor-demo".
  const std::string tags = std::string(489, 'x') + ";ichor-demo2";
  const auto has = [](const std::vector<std::string>& all, const std::string& tag) {
    return std::find(all.begin(), all.end(), tag) != all.end();
  };
  answer(200, R"({"data":{"vmid":801,"name":"cp1","status":"running","tags":")" + tags + "\"}}");
  const auto vm = run(provider.machine(context, {"pve1", 801}));
  ASSERT_TRUE(vm);
  EXPECT_TRUE(has(vm->tags, "ichor-demo2"));
  EXPECT_FALSE(has(vm->tags, "ichor-demo"));
  answer(200, R"({"data":{"tags":")" + tags + "\"}}");
  EXPECT_EQ(run(provider.config(context, {"pve1", 801}))->get("tags"), tags);
}

TEST_F(Proxmox, TasksOfAnotherUserOrTokenAreMarked) {
  answer(200, R"({"data":[
    {"upid":"UPID:pve1:0000A:0000B:0000D:qmcreate:801:ichor@pve!lab:","starttime":4},
    {"upid":"UPID:pve1:0000A:0000B:0000C:qmcreate:801:ichor@pve!other:","starttime":3},
    {"upid":"UPID:pve1:0000A:0000B:0000B:qmcreate:801:ichor@pve:","starttime":2},
    {"upid":"UPID:pve1:0000A:0000B:0000A:qmcreate:801:root@pam:","starttime":1}]})");
  std::vector<bool> of_others;
  for (const auto& task : *run(provider.tasks(context, {"pve1", 801}))) {
    of_others.push_back(task.of_others);
  }
  EXPECT_EQ(of_others, (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(user_of_token(SecretString("ichor@pve!lab=secret")), "ichor@pve!lab");
}

TEST_F(Proxmox, ACertificateThatExpiredIsNoMatterOfTrying) {
  script.replies.emplace_back(tl::unexpected(CallError{
      Call::open, Progress::not_sent, TlsVerdict::expired, Code::unavailable, "expired"}));
  EXPECT_EQ(run(provider.version(context)).error().kind, Kind::expired);
  script.replies.emplace_back(tl::unexpected(CallError{
      Call::open, Progress::not_sent, TlsVerdict::wrong_pin, Code::unavailable, "another"}));
  EXPECT_EQ(run(provider.version(context)).error().kind, Kind::untrusted);
}

TEST_F(Proxmox, ATaskEndsWithItsExitStatus) {
  const ProviderTaskId id("UPID:pve1:0000A:0000B:0000C:qmcreate:801:ichor@pve!lab:");
  answer(200, R"({"data":{"status":"running","type":"qmcreate","id":"801"}})");
  EXPECT_TRUE(run(provider.task(context, id))->running);
  answer(200, R"({"data":{"status":"stopped","exitstatus":"WARNINGS: 1","id":"801"}})");
  EXPECT_TRUE(run(provider.task(context, id))->ok);
  answer(200, R"({"data":{"status":"stopped","exitstatus":"lvcreate failed","id":"801"}})");
  const auto failed = run(provider.task(context, id));
  EXPECT_FALSE(failed->ok);
  EXPECT_FALSE(failed->running);
  EXPECT_EQ(failed->result, "lvcreate failed");
  EXPECT_EQ(script.asked[0].target.substr(0, 42), "/api2/json/nodes/pve1/tasks/UPID%3Apve1%3A");
}

TEST_F(Proxmox, AListOfTasksTellsHowTheyEnded) {
  answer(200, R"({"data":[{"upid":"UPID:a","type":"qmcreate","id":"801","starttime":5},
    {"upid":"UPID:b","type":"qmstart","id":"801","starttime":9,"status":"OK"}]})");
  const auto tasks = run(provider.tasks(context, {"pve1", 801}));
  ASSERT_EQ(tasks->size(), 2u);
  EXPECT_EQ((*tasks)[0].id.value(), "UPID:b");
  EXPECT_TRUE((*tasks)[0].ok);
  EXPECT_TRUE((*tasks)[1].running);
}

TEST_F(Proxmox, ACreationIsAFormWithEverythingTalosNeeds) {
  VmSpec spec;
  spec.place = {"pve1", 801};
  spec.name = "cp1";
  spec.tags = {"ichor-demo", "talos"};
  spec.mac = MacAddress("bc:24:11:16:01:01");
  spec.uuid = MachineUuid("4c4c4544-0042-4b10-8057-b3c04f565331");
  spec.storage = "local-lvm";
  spec.disks_gib = {20, 100};
  spec.image = "local:iso/talos.iso";
  spec.bridge = "vmbr0";
  spec.vlan = 22;
  spec.tpm = true;
  spec.first_cidr = "192.168.22.101/22";
  spec.gateway = "192.168.23.254";
  std::map<std::string, std::string> form;
  for (const auto& [key, value] : vm_params(spec)) form[key] = value;
  EXPECT_EQ(form["machine"], "q35");
  EXPECT_EQ(form["bios"], "ovmf");
  EXPECT_EQ(form["scsihw"], "virtio-scsi-single");
  EXPECT_EQ(form["balloon"], "0");
  EXPECT_EQ(form["agent"], "enabled=1");
  EXPECT_EQ(form["net0"], "virtio=BC:24:11:16:01:01,bridge=vmbr0,tag=22");
  EXPECT_EQ(form["scsi1"], "local-lvm:100,discard=on,iothread=1,ssd=1");
  EXPECT_EQ(form["efidisk0"], "local-lvm:1,efitype=4m,pre-enrolled-keys=0");
  EXPECT_EQ(form["tpmstate0"], "local-lvm:1,version=v2.0");
  EXPECT_EQ(form["ipconfig0"], "ip=192.168.22.101/22,gw=192.168.23.254");
  EXPECT_EQ(form["tags"], "ichor-demo;talos");
  answer(200, R"({"data":"UPID:pve1:0:0:0:qmcreate:801:x:"})");
  const auto task = run(provider.create(context, spec));
  ASSERT_TRUE(task);
  EXPECT_EQ(script.asked[0].method, "POST");
  EXPECT_NE(script.asked[0].body.reveal().find("tags=ichor-demo%3Btalos"), std::string_view::npos);
}

TEST_F(Proxmox, AnAnswerOfAnotherShapeIsAnError) {
  answer(200, R"({"data":[1,2]})");
  EXPECT_FALSE(run(provider.create(context, {})));
  answer(200, "<html>");
  EXPECT_FALSE(run(provider.version(context)));
}

}  // namespace
}  // namespace ichor
