import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { listening } from '../../../test/harness/listening.ts'

/** What a registry of a test answers at a path; a text is the body. */
export type Answer = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void)

export interface RegistryServer {
  /** `localhost:<port>` or `127.0.0.1:<port>` */
  readonly host: string
  readonly origin: string
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[]
  /** By path without query; may be changed at any time. */
  readonly answers: Map<string, Answer>
  /** Offers a version, whose files are at an address. */
  offer(version: string, address: string): void
}

/** The module of every registry of the tests. */
export const MODULE = 'acme/net/aws'
const BASE = '/v1/modules/'

/** A module registry on loopback that offers `acme/net/aws`; over TLS where a key is given. */
export async function openRegistry(
  t: TestContext,
  {
    tls,
    host = '127.0.0.1',
  }: { readonly tls?: { readonly key: string; readonly cert: string }; readonly host?: string } = {},
): Promise<RegistryServer> {
  const answers = new Map<string, Answer>([
    ['/.well-known/terraform.json', JSON.stringify({ 'modules.v1': BASE })],
  ])
  const requests: RegistryServer['requests'] = []
  const versions: string[] = []
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const [path = ''] = (request.url ?? '').split('?')
    requests.push({ path, authorization: request.headers.authorization })
    const answer = answers.get(path)
    if (typeof answer === 'function') answer(request, response)
    else response.writeHead(answer === undefined ? 404 : 200).end(answer)
  }
  const server = tls ? createTlsServer(tls, respond) : createServer(respond)
  const { port } = await listening(t, server)
  return {
    host: `${host}:${port}`,
    origin: `${tls ? 'https' : 'http'}://${host}:${port}`,
    requests,
    answers,
    offer(version, address) {
      versions.push(version)
      const listed = versions.map((one) => ({ version: one }))
      answers.set(`${BASE}${MODULE}/versions`, JSON.stringify({ modules: [{ versions: listed }] }))
      answers.set(`${BASE}${MODULE}/${version}/download`, (_request, response) => {
        response.writeHead(204, { 'x-terraform-get': address }).end()
      })
    },
  }
}

/** Path -> text; a target behind `->` makes a symbolic link. */
export type Files = Readonly<Record<string, string>>

/** A tar.gz of these files, made by the tar of the system. */
export async function tarOf(folder: string, files: Files): Promise<Buffer> {
  const root = await mkdtemp(join(folder, 'packed-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    if (text.startsWith('->')) await symlink(text.slice(2), join(root, path))
    else await writeFile(join(root, path), text)
  }
  const archive = `${root}.tar.gz`
  await promisify(execFile)('tar', ['-czf', archive, '-C', root, '.'])
  return await readFile(archive)
}

/** A zip of these files, without compression. */
export function zipOf(files: Files): Buffer {
  const entries: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [path, text] of Object.entries(files)) {
    const isLink = text.startsWith('->')
    const bytes = Buffer.from(isLink ? text.slice(2) : text)
    const name = Buffer.from(path)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(bytes.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((isLink ? 0o120777 : 0o100644) * 0x1_0000, 6)
    rest.writeUInt32LE(at, 10)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, bytes])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, rest, name]))
    entries.push(entry)
    at += entry.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...entries, central, Buffer.from('PK\x05\x06'), end])
}
