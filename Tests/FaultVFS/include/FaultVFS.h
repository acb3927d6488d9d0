// A file system for SQLite whose calls fail, or end the process, when a test asks for it.
#ifndef CAMBIUM_FAULT_VFS_H
#define CAMBIUM_FAULT_VFS_H

/// What happens at the call that was named.
typedef enum {
    /// Nothing: calls are only counted.
    FaultCount = 0,
    /// That call fails, and those after it work again.
    FaultOnce,
    /// That call and all after it fail, as on a disk that was pulled out.
    FaultForever,
    /// From that call on nothing more can be written, but files can be read and made smaller.
    FaultFull,
    /// From that call on nothing can be read out of files, but they can be written.
    FaultUnreadable,
    /// The process is killed before that call.
    FaultKill,
    /// The process is killed half-way through that call if it writes, before it if it does not.
    FaultTorn,
} FaultMode;

/// Makes the file system known to SQLite under the name ``fault_vfs_name()``; the second time does
/// nothing. Answers SQLite's result code.
int fault_vfs_register(void);

/// The name to open a database with.
const char *fault_vfs_name(void);

/// Counts the calls of this thread from 0 again; the one that is `call` then, from 1, is the first
/// that the mode is about. Each thread has its own.
void fault_vfs_arm(long call, FaultMode mode);

/// Lets everything work again.
void fault_vfs_disarm(void);

/// How many calls this thread has made since it armed.
long fault_vfs_count(void);

#endif
