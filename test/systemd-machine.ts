import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { killed } from './harness/killed.ts'
import { isWritable } from './harness/temporary-folder.ts'
import { ordinaryUserOf } from './ordinary-user.ts'

const SYSTEMD = ['/lib/systemd/systemd', '/usr/lib/systemd/systemd'].find(existsSync)
const NAMESPACES = ['--fork', '--pid', '--mount', '--uts', '--ipc', '--cgroup', '--net', '--mount-proc']
const PATIENCE_MS = 180_000 // a bound for what hangs, not for a slow machine
const LOOK_MS = 50

/**
 * What the folders of a machine become: everything that is written goes to memory, /etc over a copy of what is there.
 * Its systemd knows four empty targets and what is installed in it, and nothing of this machine.
 */
const BOOT = (program: string, units: string): string => `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir /run/lock /run/upper /run/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/upper,workdir=/run/work /etc
for folder in /etc/systemd /var/lib /var/cache /opt; do mount -t tmpfs tmpfs $folder; done
mkdir -p /etc/systemd/system /run/units /opt/satchel
cp ${units}/*.target /run/units
mount --bind ${program} /opt/satchel
ip link set lo up
exec env -i container=other PATH="$PATH" SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/units \\
  ${SYSTEMD} --system --unit=basic.target --log-target=console --log-level=warning --show-status=no
`

/** A machine with a systemd of its own and satchel in /opt/satchel. */
export interface SystemdMachine {
  /** Where its files are for this process. */
  path(file: string): string
  /** Runs a shell script as its root, and gives what it printed. Fails with what it wrote on stderr. */
  run(script: string): string
  /** The same, but gives the exit code alone. */
  statusOf(script: string): number | null
  /** Waits until the script ends with 0. */
  until(script: string): Promise<void>
}

/** What a machine of this kind needs and is missing here; undefined if it can run. */
export function missingForSystemd(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'root on Linux'
  if (SYSTEMD === undefined || spawnSync('systemctl', ['--version']).status !== 0) return 'systemd'
  if (!['/sys/fs/cgroup/systemd', '/sys/fs/cgroup'].some(isWritable)) return 'control groups'
  const script =
    'mount -t tmpfs tmpfs /run && mkdir /run/u /run/w && mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/u,workdir=/run/w /etc && ip link set lo up'
  return spawnSync('unshare', [...NAMESPACES, 'sh', '-c', script]).status === 0 ? undefined : 'namespaces'
}

/** Starts one; it ends with the test. The command line of satchel there is `/opt/satchel/node /opt/satchel/dist/satchel.js`. */
export async function startSystemd(t: TestContext): Promise<SystemdMachine> {
  const units = await temporaryFolder(t, 'satchel-units-')
  for (const name of ['sysinit', 'basic', 'shutdown', 'network-online', 'multi-user'])
    writeFileSync(join(units, `${name}.target`), '[Unit]\nDefaultDependencies=no\n')
  const { program } = await ordinaryUserOf(t, await temporaryFolder(t))
  const folder = dirname(program[0])
  chmodSync(folder, 0o755)
  const child = spawn('unshare', [...NAMESPACES, '--kill-child', 'sh', '-c', BOOT(folder, units)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)))
  t.after(() => killed(child)) // the first process of a namespace takes all others with it
  const pid = await firstChild(child)
  const words = (script: string): string[] => [
    '-t',
    String(pid),
    '-m',
    '-p',
    '-n',
    '-u',
    '-i',
    'sh',
    '-euc',
    script,
  ]
  const statusOf = (script: string): number | null => spawnSync('nsenter', words(script)).status
  const machine: SystemdMachine = {
    path: (file) => join(`/proc/${pid}/root`, file),
    run(script) {
      const ran = spawnSync('nsenter', words(script), { encoding: 'utf8' })
      if (ran.status !== 0) throw new Error(`${script}: ${ran.stderr}\n${said.join('')}`)
      return ran.stdout.trim()
    },
    statusOf,
    async until(script) {
      const patience = performance.now() + PATIENCE_MS
      while (statusOf(script) !== 0) {
        if (performance.now() > patience)
          throw new Error(`${script}: not within ${PATIENCE_MS / 1000} s\n${said.join('')}`)
        await sleep(LOOK_MS)
      }
    },
  }
  await machine.until('systemctl is-active --quiet basic.target')
  return machine
}

/** The process that `unshare` forked: the first one of its namespace. */
async function firstChild({ pid }: ChildProcess): Promise<number> {
  const file = `/proc/${pid}/task/${pid}/children`
  const patience = performance.now() + PATIENCE_MS
  for (;;) {
    const [first] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
    if (first) return Number(first)
    if (performance.now() > patience) throw new Error('unshare started no process')
    await sleep(LOOK_MS)
  }
}
