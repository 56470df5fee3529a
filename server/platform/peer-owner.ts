import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { onceFor } from './once.ts'

/**
 * States of a socket that a process still holds: established, and closed for writing only. The kernel shows a socket
 * that its process closed with the owner 0.
 */
const HELD_STATES: readonly string[] = ['01', '04', '05']
const LOOPBACK_V4 = /^(?:::ffff:)?(127(?:\.\d{1,3}){3})$/
const LOOPBACK_V6 = '::1'
const ROOT = 0

/**
 * Reports whether the process at the other end of a loopback connection runs as this OS user. Linux lists the owner of
 * each TCP socket; elsewhere, and whenever anything is unclear, the answer is no. Asks once for each connection.
 */
export const isOwnUser: (socket: Socket) => Promise<boolean> = onceFor((socket) =>
  prove(socket).catch(() => false),
)

async function prove(socket: Socket): Promise<boolean> {
  const own = process.platform === 'linux' ? process.geteuid?.() : undefined
  const ends = endsOf(socket)
  if (own === undefined || ends === undefined || !(await isDistinct(own))) return false
  if ((await ownerOf(ends)) !== own) return false
  // A socket that is closed during the look can appear as owned by root, but not in a second look.
  if (own === ROOT && (await ownerOf(ends)) !== own) return false
  return isConnected(socket)
}

interface Ends {
  readonly family: 4 | 6
  readonly peer: Address
  readonly own: Address
}

interface Address {
  readonly address: string
  readonly port: number
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): Ends | undefined {
  if (remotePort === undefined || localPort === undefined) return undefined
  const peer = LOOPBACK_V4.exec(remoteAddress ?? '')?.[1]
  const own = LOOPBACK_V4.exec(localAddress ?? '')?.[1]
  if (peer !== undefined && own !== undefined) {
    return { family: 4, peer: { address: peer, port: remotePort }, own: { address: own, port: localPort } }
  }
  if (remoteAddress !== LOOPBACK_V6 || localAddress !== LOOPBACK_V6) return undefined
  return {
    family: 6,
    peer: { address: LOOPBACK_V6, port: remotePort },
    own: { address: LOOPBACK_V6, port: localPort },
  }
}

/** Returns the user of the peer's socket; undefined if no process holds it. */
async function ownerOf({ family, peer, own }: Ends): Promise<number | undefined> {
  if (family === 6) return holderIn(await freshTable('tcp6'), `${hexV6(peer)} ${hexV6(own)}`)
  const found = holderIn(await freshTable('tcp'), `${hexV4(peer)} ${hexV4(own)}`)
  if (found !== undefined) return found
  // A program may reach an IPv4 address through an IPv6 socket.
  return holderIn(await freshTable('tcp6'), `${hexMapped(peer)} ${hexMapped(own)}`)
}

/** Finds the line `sl: local remote state queues timer retransmits uid timeout inode …` of a socket. */
function holderIn(table: string, pair: string): number | undefined {
  const at = table.indexOf(`: ${pair} `)
  if (at < 0) return undefined
  const end = table.indexOf('\n', at)
  const fields = table.slice(at + 2, end < 0 ? undefined : end).split(/ +/)
  const [, , state = '', , , , uid, , inode] = fields
  const isHeld = HELD_STATES.includes(state) && inode !== undefined && inode !== '0'
  return isHeld && uid !== undefined ? Number(uid) : undefined
}

type TableName = 'tcp' | 'tcp6'

const waiting = new Map<TableName, Promise<string>>()
const running = new Map<TableName, Promise<unknown>>()

/**
 * Reads a table of sockets. Each read begins after the call, and calls that wait share one: the kernel walks all its
 * connections for it, so a flood of connections must not cause a flood of reads.
 */
function freshTable(name: TableName): Promise<string> {
  let next = waiting.get(name)
  if (next === undefined) {
    next = (running.get(name) ?? Promise.resolve()).then(() => {
      waiting.delete(name)
      const read = readFile(`/proc/net/${name}`, 'latin1')
      running.set(
        name,
        read.catch(() => undefined),
      )
      return read
    })
    waiting.set(name, next)
  }
  return next
}

/** Reports whether no other user appears with this id: in a user namespace the overflow id names every user outside. */
async function isDistinct(uid: number): Promise<boolean> {
  const overflow = Number(await readFile('/proc/sys/kernel/overflowuid', 'latin1'))
  if (uid !== overflow) return true
  return /^ *0 +0 +4294967295$/m.test(await readFile('/proc/self/uid_map', 'latin1'))
}

/**
 * Reports whether the connection has not ended. While it lasts, nothing else can have its pair of addresses, so the
 * line that was found belongs to its peer. Asks the kernel, because Node learns of a reset only when it reads.
 */
function isConnected(socket: Socket): boolean {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return false
  const getPeerName: unknown = Reflect.get(handle, 'getpeername')
  return typeof getPeerName === 'function' && getPeerName.call(handle, {}) === 0
}

// The kernel prints addresses as words in the byte order of the machine.
const word = (bytes: readonly number[]): string =>
  (endianness() === 'LE' ? [...bytes].reverse() : bytes)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
const wordOf = (address: string): string => word(address.split('.').map(Number))
const NULL_WORD = '00000000'
const V6_ONE = `${NULL_WORD.repeat(3)}${word([0, 0, 0, 1])}`

function hexV4({ address, port }: Address): string {
  return `${wordOf(address)}:${hexPort(port)}`
}

function hexMapped({ address, port }: Address): string {
  return `${NULL_WORD.repeat(2)}${word([0, 0, 0xff, 0xff])}${wordOf(address)}:${hexPort(port)}`
}

function hexV6({ port }: Address): string {
  return `${V6_ONE}:${hexPort(port)}`
}
