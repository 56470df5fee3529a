import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installPackage } from '../../test/harnesses/installation.ts'
import { npmMembers } from './formats.ts'
import type { Release } from './release.ts'

const PACKER = { name: '@anthropic-ai/mcpb', version: '2.1.2' }

/** Packs the built program with the release's members for npm into `folder`. Returns the path of the tarball. */
export function packNpm(folder: string, release: Release): string {
  const work = mkdtempSync(join(tmpdir(), 'satchel-npm-'))
  try {
    execFileSync('tar', ['-xzf', pack('.', work), '-C', work])
    const manifest = join(work, 'package', 'package.json')
    const members = { ...JSON.parse(readFileSync(manifest, 'utf8')), ...npmMembers(release) }
    writeFileSync(manifest, `${JSON.stringify(members, null, 2)}\n`)
    mkdirSync(folder, { recursive: true })
    return pack(join(work, 'package'), resolve(folder))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Packs `satchel-VERSION.mcpb`: the manifest in `folder` and the program installed from `tarball`. Returns its path. */
export async function packBundle(folder: string, tarball: string, release: Release): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'satchel-mcpb-'))
  try {
    const server = join(work, 'bundle', 'server')
    mkdirSync(server, { recursive: true })
    cpSync(join(folder, 'manifest.json'), join(work, 'bundle', 'manifest.json'))
    writeFileSync(join(server, 'package.json'), '{ "private": true, "type": "module" }\n')
    npm(
      [
        'install',
        '--omit=dev',
        '--omit=optional',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        resolve(tarball),
      ],
      server,
    )
    const made = join(work, 'satchel.mcpb')
    await runPacker(['pack', join(work, 'bundle'), made])
    const target = join(folder, `${release.name}-${release.version}.mcpb`)
    cpSync(made, target)
    return target
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Runs the command of the MCP bundle's own package. Errors: its exit code is not 0. */
export async function runPacker(words: readonly string[]): Promise<string> {
  const installed = await installPackage(PACKER.name, PACKER.version)
  const program = join(installed, 'node_modules', PACKER.name, 'dist', 'cli', 'cli.js')
  return execFileSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function pack(folder: string, destination: string): string {
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', destination], folder),
  )
  return join(destination, packed.filename)
}

/** What npm prints. Errors: npm failed. */
export function npm(words: readonly string[], cwd: string): string {
  return execFileSync('npm', words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
}
