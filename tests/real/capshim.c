// capshim CMD...: runs CMD and all that it starts on a machine that withholds CAP_SYS_RESOURCE.
//
// A container runtime lowers OOM scores and raises resource limits all the time. Without that
// capability the first is EACCES on open of /proc/PID/oom_score_adj and the second EPERM, and no
// container starts. A seccomp filter hands just these calls to this process, which answers them:
// the file becomes /dev/null, and a change of limits succeeds and changes nothing. All other calls
// pass.
//
// Exits as CMD did, with 128 + the signal's number if that ended it. CMD dies with this process.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { worker_count = 4, path_max = 256, page_size = 4096, trouble = 127 };

static int listener;
static int dev_null;

// Copies a string out of another process. Reads page by page: the next page may not exist.
static void peek_string(pid_t pid, uint64_t address, char* text, size_t size) {
  char memory[40];
  snprintf(memory, sizeof memory, "/proc/%d/mem", pid);
  const int fd = open(memory, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  while (fd >= 0 && length < size - 1) {
    size_t wanted = page_size - ((address + length) & (page_size - 1));
    if (wanted > size - 1 - length) wanted = size - 1 - length;
    const ssize_t got = pread(fd, text + length, wanted, (off_t)(address + length));
    if (got <= 0) break;
    const int ended = memchr(text + length, 0, (size_t)got) != NULL;
    length += (size_t)got;
    if (ended) break;
  }
  text[length] = 0;
  if (fd >= 0) close(fd);
}

static int is_oom_score(const char* path) {
  static const char tail[] = "oom_score_adj";
  const size_t length = strlen(path);
  return length >= sizeof tail - 1 && strcmp(path + length - (sizeof tail - 1), tail) == 0;
}

// True if the call was answered with /dev/null. The caller may be gone meanwhile and its number
// taken by another process, so the request is looked at again after its memory was read.
static int answer_with_dev_null(const struct seccomp_notif* request) {
  char path[path_max];
  peek_string((pid_t)request->pid, request->data.args[1], path, sizeof path);
  if (!is_oom_score(path)) return 0;
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request->id) != 0) return 0;
  struct seccomp_notif_addfd add = {.id = request->id,
                                    .flags = SECCOMP_ADDFD_FLAG_SEND,
                                    .srcfd = (uint32_t)dev_null,
                                    .newfd_flags = O_CLOEXEC};
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
}

static void* serve(void* unused) {
  (void)unused;
  for (;;) {
    struct seccomp_notif request;
    memset(&request, 0, sizeof request);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0) {
      if (errno == EINTR || errno == ENOENT) continue;
      return NULL;
    }
    struct seccomp_notif_resp reply = {.id = request.id};
    if (request.data.nr == SYS_openat) {
      if (answer_with_dev_null(&request)) continue;
      reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }  // Else it is a change of limits: the empty reply means success.
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define IF_ANY_BIT(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, yes, no)

// Jumps count the instructions to leave out.
static int install_filter(void) {
  struct sock_filter code[] = {
      LOAD(arch),
      IF_EQUAL(AUDIT_ARCH_X86_64, 0, 8),
      LOAD(nr),
      IF_EQUAL(SYS_setrlimit, 7, 0),
      IF_EQUAL(SYS_prlimit64, 0, 2),
      LOAD(args[2]),  // the new limits; a null pointer only reads
      IF_EQUAL(0, 3, 4),
      IF_EQUAL(SYS_openat, 0, 2),
      LOAD(args[2]),  // how to open
      IF_ANY_BIT(O_WRONLY | O_RDWR, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  // Go preempts its threads with signals, and a call that is being answered must not start over.
  const unsigned long flags =
      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int fail(const char* what) {
  fprintf(stderr, "capshim: %s: %s\n", what, strerror(errno));
  return trouble;
}

// The filter's listener closes on exec, so the child waits until the parent has taken it over.
static int run_child(char** command, int to_parent, int from_parent) {
  char go;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int filter = install_filter();
  if (filter < 0) return fail("seccomp");
  if (write(to_parent, &filter, sizeof filter) != sizeof filter) return fail("pipe");
  if (read(from_parent, &go, 1) != 1) return fail("pipe");
  execvp(command[0], command);
  return fail(command[0]);
}

int main(int argc, char** argv) {
  int ready[2], go[2], theirs = -1, status = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: capshim CMD...\n");
    return 64;
  }
  dev_null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (dev_null < 0 || pipe2(ready, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0) return fail("open");
  const pid_t child = fork();
  if (child < 0) return fail("fork");
  if (child == 0) _exit(run_child(argv + 1, ready[1], go[0]));
  close(ready[1]);
  if (read(ready[0], &theirs, sizeof theirs) != sizeof theirs) return trouble;
  listener = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, child, 0), theirs, 0);
  if (listener < 0) return fail("pidfd_getfd");
  for (int i = 0; i < worker_count; i++) {
    pthread_t worker;
    if (pthread_create(&worker, NULL, serve, NULL) != 0) return fail("thread");
  }
  if (write(go[1], "", 1) != 1) return fail("pipe");
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
