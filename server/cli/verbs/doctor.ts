import { existsSync } from 'node:fs'
import * as z from 'zod'
import { ASSET_SOURCES, assetPath } from '../../assets.ts'
import { asCallerError } from '../../call.ts'
import type { Config } from '../../config.ts'
import { isSatchelError } from '../../contract/errors.ts'
import type { Finding } from '../../contract/plugin.ts'
import type { RunningHost } from '../../host.ts'
import type { Registry } from '../../registry.ts'
import type { HostDatabase } from '../../storage/database.ts'
import { unreadConfig } from '../../unread-config.ts'
import { VERSION } from '../../version.ts'
import { defineHostVerb } from '../host-verb.ts'
import { type Asked, nextLine } from '../next-line.ts'
import { printResult } from '../render.ts'
import type { World } from '../world.ts'

/** package.json `engines`. */
const OLDEST_NODE: readonly [major: number, minor: number] = [20, 19]
const MARKS: Readonly<Record<Finding['level'], string>> = {
  ok: 'ok     ',
  warning: 'warning',
  problem: 'problem',
}

/** `satchel doctor`: checks the installation without changing it; exit 3 if it finds a problem. */
export const doctorVerb = defineHostVerb({
  path: ['doctor'],
  summary: 'check installation, configuration and stores',
  description:
    'Checks the installation, the configuration and what each plugin stores. Reads only; works on a broken store. Exits 3 when it found a problem.',
  input: z.object({}),
  examples: ['satchel doctor --json'],
  async run(world) {
    const { findings, registry } = await examine(world)
    const problems = findings.filter(({ level }) => level === 'problem').length
    printResult(world.terminal, {
      data: { version: VERSION, findings, problems },
      text: findings.map((finding) => lineOf(finding, registry && { registry, line: world.line })).join('\n'),
    })
    return problems > 0 ? 3 : 0
  },
})

interface Examined {
  readonly findings: readonly Finding[]
  /** Absent if the plugins could not be set up. */
  readonly registry?: Registry
}

async function examine(world: World): Promise<Examined> {
  const { doors, line } = world
  const installed = [nodeFinding(process.versions.node), assetsFinding()]
  const projectRoot = await doors.findProjectRoot(line)
  const root: Finding = { level: 'ok', subject: 'project', detail: projectRoot }
  try {
    const config = await doors.loadConfig(line)
    const read = configFinding(config, unreadConfig(config, { projectRoot, cwd: world.io.cwd }))
    const { findings, ...more } = await examinePlugins(world, config)
    return { findings: [...installed, root, read, ...findings], ...more }
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return { findings: [...installed, root, problem('configuration', thrown.message)] }
  }
}

async function examinePlugins(world: World, config: Config): Promise<Examined> {
  let host: RunningHost
  try {
    host = await world.doors.setUpHost({ kind: 'all' }, config, world.line)
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return { findings: [problem('plugins', logged(world, thrown))] }
  }
  try {
    const findings: Finding[] = host.database ? [await databaseFinding(host.database)] : []
    for (const { plugin, instance } of host.registry.instances) {
      findings.push({ level: 'ok', subject: plugin, detail: 'set up' })
      findings.push(...(await ask(world, plugin, instance.doctor)))
    }
    return { findings, registry: host.registry }
  } finally {
    await host.stop()
  }
}

/** What the database of `storage.url` is, and whether it can be written. */
async function databaseFinding(database: HostDatabase): Promise<Finding> {
  const subject = 'database'
  try {
    const { place, version, encoding, tables, unwritable } = await database.facts()
    const versions = Object.entries(tables).map(([owner, of]) => `${owner} ${of}`)
    const is = `${place}, PostgreSQL ${version}, ${encoding}, versions of tables: ${versions.join(', ')}`
    if (unwritable.length === 0) return { level: 'ok', subject, detail: is }
    return problem(
      subject,
      `${is}. The role of storage.url may not write ${unwritable.join(', ')}: grant what docs/storage.md names`,
    )
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return problem(subject, thrown.message)
  }
}

/** Reports a failure of a plugin's own doctor as a finding. */
async function ask(
  world: World,
  plugin: string,
  doctor: ((signal: AbortSignal) => Promise<readonly Finding[]>) | undefined,
): Promise<readonly Finding[]> {
  try {
    return (await doctor?.(world.signal)) ?? []
  } catch (thrown) {
    const said = logged(world, thrown)
    return [problem(plugin, isSatchelError(thrown) ? said : 'its own check failed; see the log')]
  }
}

/** The message of an error; what is behind one that names the log is a line of it, on standard error. */
function logged({ doors, signal }: World, thrown: unknown): string {
  return asCallerError(thrown, { log: doors.log(), signal }, 'doctor').message
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  const detail = `Node ${version}, satchel ${VERSION}`
  return isOld
    ? problem('installation', `${detail}: Node ${OLDEST_NODE.join('.')} or newer is needed`)
    : { level: 'ok', subject: 'installation', detail }
}

function assetsFinding(): Finding {
  const missing = Object.keys(ASSET_SOURCES).filter((name) => !isThere(name))
  return missing.length === 0
    ? { level: 'ok', subject: 'packaged files', detail: `${Object.keys(ASSET_SOURCES).length} found` }
    : problem('packaged files', `missing: ${missing.join(', ')}; install satchel again`)
}

function isThere(name: string): boolean {
  try {
    return existsSync(assetPath(name))
  } catch {
    return false
  }
}

function configFinding({ file }: Config, unread: string | undefined): Finding {
  if (unread !== undefined) return { level: 'warning', subject: 'configuration', detail: unread }
  return { level: 'ok', subject: 'configuration', detail: file ?? 'no file: defaults and environment' }
}

function problem(subject: string, detail: string): Finding {
  return { level: 'problem', subject, detail }
}

function lineOf({ level, subject, detail, next }: Finding, asked: Asked | undefined): string {
  const hint = next && asked ? ` Next: ${nextLine(asked, next)}` : ''
  return `${MARKS[level]}  ${subject}: ${detail}${hint}`
}
