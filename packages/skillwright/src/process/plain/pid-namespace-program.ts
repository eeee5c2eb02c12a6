/** Numbers of system calls that Perl has no function for. */
interface SyscallNumbers {
  readonly unshare: number;
  readonly mount: number;
  readonly setsid: number;
  readonly prctl: number;
}

const SYSCALLS: Readonly<Record<string, SyscallNumbers>> = {
  x86_64: { unshare: 272, mount: 165, setsid: 112, prctl: 157 },
  aarch64: { unshare: 97, mount: 40, setsid: 157, prctl: 167 },
};

/** The supervisor's command for a Perl built for `archName`; `undefined` if its system call numbers are unknown. */
export function supervisorCommand(perl: string, archName: string): readonly string[] | undefined {
  const architecture = /^(x86_64|aarch64)-linux(?!.*x32)/.exec(archName)?.[1];
  const numbers = architecture === undefined ? undefined : SYSCALLS[architecture];
  if (numbers === undefined) return undefined;
  const { unshare, mount, setsid, prctl } = numbers;
  // `-f` keeps Perl from loading the site's own startup code.
  return [perl, '-f', '-e', PROGRAM, ...[unshare, mount, setsid, prctl].map(String)];
}

/** The program that the supervisor starts. No value may contain a NUL byte. */
export interface SupervisedProgram {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly channel: boolean;
}

/** The input that the supervisor reads from its gate: the length in four bytes, then words separated by NUL bytes. */
export function supervisorInput({ command, env, channel }: SupervisedProgram): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = Buffer.from([channel ? '1' : '', String(command.length), ...command, ...variables].join('\0'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(words.length);
  return Buffer.concat([length, words]);
}

/**
 * Runs as three processes. The supervisor stays in the host's namespaces. Its child is the first process of a PID
 * namespace: it mounts a `/proc` of that namespace, starts the program, and reaps every process that loses its parent.
 * The program leads its own session, like every child of the host, and does not get the gate. The supervisor and the
 * first process close the program's pipes, so that the host notices when the program closes them.
 *
 * On the gate, descriptor 4, the host reads `started`, or `failed <step> <errno>`; then `ended <wait status> <left>`,
 * where `left` is -1 if no other process is left in the namespace; and `gone` when the namespace is gone. After
 * `started`, the host writes a byte: until then the supervisor keeps the pipes open, so that none ends before the host
 * listens. The supervisor stays until the host closes the gate or is gone; then it ends the first process, and the
 * kernel ends all others in the namespace. The kernel does the same if the supervisor is killed.
 *
 * The host's mounts stay shared; only `/proc` is made private, so that the new `/proc` is visible nowhere else.
 */
const PROGRAM = `
my ($unshare, $mount, $setsid, $prctl) = @ARGV;
$0 = 'skillwright';
open my $gate, '+<&=', 4 or exit 1;

sub take {
  my $data = '';
  while (length $data < $_[0]) { sysread $gate, $data, $_[0] - length $data, length $data or exit 1 }
  return $data;
}
sub fail { syswrite $gate, "failed $_[0] " . ($! + 0) . "\\n"; exit 1 }
sub close_pipes {
  close STDIN; close STDOUT; close STDERR;
  if ($_[0]) { open my $channel, '<&=', 3; close $channel }
}

my ($channel, $count, @words) = split /\\0/, take(unpack 'N', take(4)), -1;
my @command = splice @words, 0, $count;
syscall($unshare, 0x20020000) == 0 or fail('unshare');
pipe my $init_lives, my $init_life or fail('pipe');
my $init = fork;
defined $init or fail('fork');
if ($init == 0) {
  close $init_lives;
  syscall $prctl, 1, 9;
  my ($none, $proc, $path) = ('none', 'proc', '/proc');
  syscall($mount, $none, $path, 0, 0x44000, 0) == 0 or fail('mount');
  syscall($mount, $proc, $path, $proc, 14, 0) == 0 or fail('mount');
  pipe my $problem, my $problems or fail('pipe');
  my $program = fork;
  defined $program or fail('fork');
  if ($program == 0) {
    syscall $setsid;
    close $gate;
    %ENV = map { /^(.[^=]*)=(.*)$/s } @words;
    exec { $command[0] } @command;
    syswrite $problems, $! + 0;
    exit 1;
  }
  close $problems;
  close_pipes($channel);
  sysread $problem, my $errno, 9;
  syswrite $gate, $errno ? "failed exec $errno\\n" : "started\\n";
  while ((my $ended = waitpid -1, 0) > 0) {
    next if $ended != $program;
    my $status = $?;
    my $left;
    1 while ($left = waitpid -1, 1) > 0;
    syswrite $gate, "ended $status $left\\n";
  }
  exit 0;
}
close $init_life;
$SIG{$_} = 'IGNORE' for qw(HUP INT TERM PIPE);
my $watched = '';
vec($watched, fileno $_, 1) = 1 for $gate, $init_lives;
while (1) {
  next if select(my $ready = $watched, undef, undef, undef) < 0;
  last if vec $ready, fileno $init_lives, 1;
  last if !sysread $gate, my $word, 1;
  close_pipes($channel);
}
kill 'KILL', $init;
waitpid $init, 0;
syswrite $gate, "gone\\n";
sysread $gate, my $closed, 1;
`;
