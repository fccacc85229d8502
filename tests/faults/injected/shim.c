// Faults at system calls: preloaded, it counts the calls on files below a folder and lets one of them fail.
//
//     cc -shared -fPIC -O1 -o shim.so shim.c -ldl
//     LD_PRELOAD=./shim.so python ...
//
// The program itself says what is to happen, so that one process can try every call in turn:
//
//     faults_arm(folder, k, fault)   the k-th call from now on fails; k = 0 only counts
//     faults_disarm()                returns how many calls there were
//
// A fault is an error number; or SHORT (half of the bytes are written), KILL (half of the bytes, then SIGKILL).
// Calls that cannot be short or be interrupted are not counted for these faults; close() is among them, because Linux
// has closed the file whatever it says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SHORT = 1000, KILL = 1001 };
enum { OPEN = 1, WRITE = 2, SYNC = 4, CLOSE = 8, NAME = 16, MAP = 32 };

static char below[PATH_MAX];
static long calls, failing;
static int fault;

void faults_arm(const char* folder, long k, int kind) {
    snprintf(below, sizeof below, "%s", folder);
    calls = 0;
    failing = k;
    fault = kind;
}

long faults_disarm(void) {
    below[0] = 0;
    return calls;
}

static int inside(const char* path) {
    const size_t length = strlen(below);
    return length && !strncmp(path, below, length) && (path[length] == '/' || !path[length]);
}

static int path_inside(int folder, const char* path) {
    char whole[2 * PATH_MAX];
    if (!below[0] || !path) return 0;
    if (path[0] == '/') return inside(path);
    if (folder == AT_FDCWD) {
        if (!getcwd(whole, PATH_MAX)) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        const ssize_t size = readlink(link, whole, PATH_MAX - 1);
        if (size < 0) return 0;
        whole[size] = 0;
    }
    const size_t end = strlen(whole);
    snprintf(whole + end, sizeof whole - end, "/%s", path);
    return inside(whole);
}

static int handle_inside(int handle) {
    char link[64], path[PATH_MAX];
    if (!below[0]) return 0;
    const int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    errno = before;
    if (size < 0) return 0;
    path[size] = 0;
    return inside(path);
}

// Count a call; 1 if this one is to fail. Only calls that can have the fault are counted.
static int counted(int kind) {
    if (fault == SHORT && kind != WRITE) return 0;
    if (fault == EINTR && (kind == NAME || kind == MAP || kind == CLOSE)) return 0;
    if (++calls != failing) return 0;
    if (fault == KILL && kind != WRITE) kill(getpid(), SIGKILL);
    errno = fault;
    return 1;
}

#define REAL(name) \
    static __typeof__(name)* real; \
    if (!real) real = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)

#define OPENING(name) \
    int name(const char* path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (path_inside(AT_FDCWD, path) && counted(OPEN)) return -1; \
        return real(path, flags, mode); \
    }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name) \
    int name(int folder, const char* path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (path_inside(folder, path) && counted(OPEN)) return -1; \
        return real(folder, path, flags, mode); \
    }
OPENING_AT(openat)
OPENING_AT(openat64)

ssize_t write(int handle, const void* data, size_t size) {
    REAL(write);
    if (handle_inside(handle) && counted(WRITE)) {
        if (fault != SHORT && fault != KILL) return -1;
        const ssize_t done = real(handle, data, size > 1 ? size / 2 : size);
        if (fault == KILL) kill(getpid(), SIGKILL);
        return done;
    }
    return real(handle, data, size);
}

#define WRITING_AT(name, offset_type) \
    ssize_t name(int handle, const void* data, size_t size, offset_type at) { \
        REAL(name); \
        if (handle_inside(handle) && counted(WRITE)) { \
            if (fault != SHORT && fault != KILL) return -1; \
            const ssize_t done = real(handle, data, size > 1 ? size / 2 : size, at); \
            if (fault == KILL) kill(getpid(), SIGKILL); \
            return done; \
        } \
        return real(handle, data, size, at); \
    }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

ssize_t writev(int handle, const struct iovec* parts, int count) {
    REAL(writev);
    if (handle_inside(handle) && counted(WRITE)) {
        if (fault != SHORT && fault != KILL) return -1;
        const ssize_t done = real(handle, parts, count > 1 ? count / 2 : count);
        if (fault == KILL) kill(getpid(), SIGKILL);
        return done;
    }
    return real(handle, parts, count);
}

#define ON_HANDLE(name, kind) \
    int name(int handle) { \
        REAL(name); \
        if (handle_inside(handle) && counted(kind)) return -1; \
        return real(handle); \
    }
ON_HANDLE(fsync, SYNC)
ON_HANDLE(fdatasync, SYNC)

int close(int handle) {
    REAL(close);
    const int fails = handle_inside(handle) && counted(CLOSE);
    const int done = real(handle);  // as Linux does: the handle is gone, whatever is said
    if (!fails) return done;
    errno = fault;
    return -1;
}

#define TRUNCATING(name, size_type) \
    int name(int handle, size_type size) { \
        REAL(name); \
        if (handle_inside(handle) && counted(SYNC)) return -1; \
        return real(handle, size); \
    }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

int rename(const char* from, const char* to) {
    REAL(rename);
    if (path_inside(AT_FDCWD, to) && counted(NAME)) return -1;
    return real(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
    REAL(renameat);
    if (path_inside(to_folder, to) && counted(NAME)) return -1;
    return real(from_folder, from, to_folder, to);
}

int mkdir(const char* path, mode_t mode) {
    REAL(mkdir);
    if (path_inside(AT_FDCWD, path) && counted(NAME)) return -1;
    return real(path, mode);
}

int chmod(const char* path, mode_t mode) {
    REAL(chmod);
    if (path_inside(AT_FDCWD, path) && counted(NAME)) return -1;
    return real(path, mode);
}

#define MAPPING(name, offset_type) \
    void* name(void* at, size_t size, int protection, int flags, int handle, offset_type offset) { \
        REAL(name); \
        if (handle >= 0 && !(flags & MAP_ANONYMOUS) && handle_inside(handle) && counted(MAP)) return MAP_FAILED; \
        return real(at, size, protection, flags, handle, offset); \
    }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

// ------------------------------------------------------------------------------------------------ clocks

// faults_clock(wall, steady): seconds that are added to the wall clock and to the monotonic one from now on; the
// monotonic clock of a real system never goes back, but may leap when a machine was asleep.
static volatile long wall_leap, steady_leap;

void faults_clock(long wall, long steady) {
    wall_leap = wall;
    steady_leap = steady;
}

int clock_gettime(clockid_t which, struct timespec* now) {
    REAL(clock_gettime);
    const int done = real(which, now);
    if (done == 0) now->tv_sec += which == CLOCK_REALTIME ? wall_leap : which == CLOCK_MONOTONIC ? steady_leap : 0;
    return done;
}

time_t time(time_t* out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

// ------------------------------------------------------------------------------------------------ memory

// faults_memory(first, last): the calls of operator new with these numbers, from 1, throw std::bad_alloc; 0, 0 only
// counts. faults_memory_over() returns how many there were. Compile with -fexceptions.
static long first_new = -1, last_new, news;

void faults_memory(long first, long last) {
    news = 0;
    last_new = last;
    first_new = first;
}

long faults_memory_over(void) {
    first_new = -1;
    return news;
}

static size_t wanted(size_t size) {
    if (first_new < 0) return size;
    const long number = __sync_add_and_fetch(&news, 1);
    return number >= first_new && number <= last_new ? (size_t)-1 >> 2 : size;
}

#define ALLOCATING(name, parameters, ...) \
    void* name parameters; \
    void* name parameters { \
        REAL(name); \
        return real(wanted(size), ##__VA_ARGS__); \
    }
ALLOCATING(_Znwm, (size_t size))
ALLOCATING(_Znam, (size_t size))
ALLOCATING(_ZnwmSt11align_val_t, (size_t size, size_t alignment), alignment)
ALLOCATING(_ZnamSt11align_val_t, (size_t size, size_t alignment), alignment)
ALLOCATING(_ZnwmRKSt9nothrow_t, (size_t size, const void* tag), tag)
ALLOCATING(_ZnamRKSt9nothrow_t, (size_t size, const void* tag), tag)
