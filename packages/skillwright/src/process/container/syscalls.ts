interface ArgumentTest {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
}

interface SyscallRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ERRNO';
  readonly errnoRet: number;
  readonly args: readonly ArgumentTest[];
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Calls that scripts do not need and that were used to attack kernels, or that reach the host or another process. */
const REFUSED = `
  mount umount umount2 pivot_root open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr open_tree_attr
  open_by_handle_at quotactl quotactl_fd swapon swapoff acct nfsservctl unshare setns add_key request_key keyctl
  bpf perf_event_open userfaultfd lookup_dcookie ptrace process_vm_readv process_vm_writev process_madvise kcmp
  pidfd_getfd io_uring_setup io_uring_enter io_uring_register modify_ldt vm86 vm86old init_module finit_module
  delete_module create_module query_module get_kernel_syms uselib kexec_load kexec_file_load reboot iopl ioperm
  syslog vhangup sysfs ustat _sysctl clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex
  settimeofday stime mbind set_mempolicy migrate_pages move_pages set_mempolicy_home_node fanotify_init
  sethostname setdomainname chroot
`
  .trim()
  .split(/\s+/);
/**
 * The flags that make new namespaces: `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`.
 */
const NEW_NAMESPACES = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000];
/**
 * The allowed socket families: Unix, IPv4, IPv6 and netlink. A network namespace does not isolate others, such as
 * sockets to the hypervisor.
 */
const SOCKET_FAMILIES = new Set([1, 2, 10, 16]);
const FAMILIES = 64;

/**
 * A seccomp profile in the format of both engines. The engines' own profiles differ between releases, and some let
 * programs talk to the hypervisor. Calls of other architectures are refused as well.
 */
export function containerSyscallProfile(): string {
  const families = Array.from({ length: FAMILIES }, (_, family) => family).filter(
    (family) => !SOCKET_FAMILIES.has(family),
  );
  const syscalls: SyscallRule[] = [
    refuse(REFUSED, EPERM),
    // A filter cannot read the arguments of `clone3`, because they are behind a pointer. Programs fall back to `clone`.
    refuse(['clone3'], ENOSYS),
    ...NEW_NAMESPACES.map((flag) =>
      refuse(['clone'], EPERM, { index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }),
    ),
    ...families.map((family) =>
      refuse(['socket', 'socketpair'], EAFNOSUPPORT, { index: 0, value: family, valueTwo: 0, op: 'SCMP_CMP_EQ' }),
    ),
  ];
  return JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls });
}

function refuse(names: readonly string[], errnoRet: number, ...args: readonly ArgumentTest[]): SyscallRule {
  return { names, action: 'SCMP_ACT_ERRNO', errnoRet, args };
}
