#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/local_ports.h"

namespace ichor {

/// Files that a test lays out; what is written is kept apart from them.
class FakeFiles : public Files {
 public:
  std::string absolute(const std::string& path) override { return path; }
  bool has_file(const std::string& path) override { return inputs.contains(path); }
  std::optional<std::vector<std::string>> list_folder(const std::string& path) override {
    std::set<std::string> names;
    const std::string start = path == "." ? "" : path + "/";
    for (const auto& [file, text] : inputs) {
      if (!file.starts_with(start)) continue;
      const std::string rest = file.substr(start.size());
      names.insert(rest.substr(0, rest.find('/')));
    }
    if (names.empty()) return std::nullopt;
    return std::vector<std::string>(names.begin(), names.end());
  }
  Result<std::string> read_input(const std::string& path) override {
    const auto found = inputs.find(path);
    if (found == inputs.end()) return fail(Errc::invalid, path + ": No such file");
    return found->second;
  }
  Result<SecretString> read_secret(const std::string& path) override {
    auto text = read_input(path);
    if (!text) return forward_error(text);
    return SecretString(*std::move(text));
  }
  Result<std::optional<std::string>> read_below(const std::string& folder,
                                                const std::string& name) override {
    const auto found = inputs.find(folder == "." ? name : folder + "/" + name);
    if (found == inputs.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }
  Result<void> write_private(const std::string& path, const SecretString& content) override {
    return export_secret(path, content);
  }
  Result<void> create_private(const std::string& path, const SecretString& content,
                              bool force) override {
    if (!force && exported.contains(path)) return fail(Errc::invalid, path + " already exists");
    return export_secret(path, content);
  }
  Result<void> create_reproducible(const std::string& path, const SecretString& content,
                                   bool force) override {
    return create_private(path, content, force);
  }
  Result<std::unique_ptr<Draft>> draft(const std::string& path) override {
    return std::make_unique<FakeDraft>(*this, path);
  }
  Result<std::unique_ptr<ByteSource>> open_large(const std::string& path) override {
    const auto text = read_input(path);
    if (!text) return forward_error(text);
    auto bytes = std::make_unique<MemoryBytes>();
    if (auto taken = bytes->take(*text); !taken) return forward_error(taken);
    return bytes;
  }
  Result<void> remove(const std::string& path) override {
    inputs.erase(path);
    exported.erase(path);
    return {};
  }
  Result<std::unique_ptr<Hold>> hold(const std::string&) override {
    return std::make_unique<Hold>();
  }
  Result<void> may_export(const std::string& path) override {
    if (seen_by_git.contains(path)) return fail(Errc::unsafe, path + " is seen by git");
    return {};
  }
  Result<void> export_secret(const std::string& path, const SecretString& content) override {
    exported[path] = std::string(content.reveal());
    return {};
  }
  Result<std::string> make_temp_dir() override { return std::string("/tmp/lab"); }
  void remove_temp_dir(const std::string&) override {}

  std::map<std::string, std::string> inputs;    // files of the operator
  std::map<std::string, std::string> exported;  // by path
  std::set<std::string> seen_by_git;

 private:
  class FakeDraft final : public Draft {
   public:
    FakeDraft(FakeFiles& files, std::string path) : files_(files), path_(std::move(path)) {}
    Result<void> take(std::string_view bytes) override { return bytes_.take(bytes); }
    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::string> read(std::uint64_t at, std::size_t count) const override {
      return bytes_.read(at, count);
    }
    Result<void> keep() override {
      files_.exported[path_] = bytes_.bytes();
      return {};
    }

   private:
    FakeFiles& files_;
    std::string path_;
    MemoryBytes bytes_;
  };
};

class FakeEnvironment : public Environment {
 public:
  std::optional<std::string> variable(const std::string& name) override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  std::string command() override { return {}; }
  Result<std::string> program() override { return std::string("/usr/bin/ichor"); }
  LockOwner owner() override { return {"00000000000000aa", "desk", "boot", 1}; }
  int processor_count() override { return 1; }
  double stopwatch() override { return 0; }

  std::map<std::string, std::string> variables;
};

/// One program at the most, and none that runs beside us.
class FakePrograms : public Programs, private Processes {
 public:
  Result<ProcessResult> run_program(ProcessCall call) override {
    if (!other_program) return fail(Errc::invalid, "there is no other program here");
    return other_program(call);
  }
  Processes& processes() override { return *this; }

  /// The only other program; none if it is empty.
  std::function<Result<ProcessResult>(const ProcessCall&)> other_program;

 private:
  std::optional<std::string> find(const std::string&) override { return std::nullopt; }
  bool is_held(const std::string&) override { return false; }
  Task<Result<ProcessResult>> run(Context, ProcessCall call) override {
    co_return fail(Errc::invalid, call.program + ": No such file");
  }
};

}  // namespace ichor
