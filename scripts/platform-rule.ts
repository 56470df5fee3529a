import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const BIOME = resolve('node_modules/@biomejs/biome/bin/biome')
const FIXTURE = resolve('reports/platform-rule')

const WRITES =
  'appendFile chmod chown copyFile cp lchown link lutimes mkdir mkdtemp open rename rm rmdir symlink truncate unlink utimes writeFile'

/** One way on each line to change files or start processes. */
const REFUSED: readonly string[] = [
  ...WRITES.split(' ').flatMap((name) => [
    `import { ${name} as ${name}1 } from 'node:fs/promises'`,
    `import { ${name} as ${name}2 } from 'node:fs'`,
    `import { ${name}Sync } from 'node:fs'`,
  ]),
  ...'write writev fchmodSync ftruncateSync futimesSync writeSync createWriteStream promises'
    .split(' ')
    .map((name) => `import { ${name} } from 'node:fs'`),
  "import { writeFile as writeFile3 } from 'fs'",
  "import * as fs1 from 'node:fs'",
  "import fs2 from 'node:fs/promises'",
  "export { rename } from 'node:fs/promises'",
  "export const fs3 = await import('node:fs')",
  "export const fs4 = require('node:fs')",
  ...'exec execFile execFileSync execSync fork spawn spawnSync'
    .split(' ')
    .map((name) => `import { ${name} } from 'node:child_process'`),
  "import { spawn as spawn1 } from 'child_process'",
  "import 'node:cluster'",
]

/** How many planted uses the rule must refuse. */
export const PLANTED_USES = REFUSED.length

const ALLOWED = [
  "import { readFile, realpath, stat } from 'node:fs/promises'",
  "import { existsSync, readFileSync } from 'node:fs'",
]

/** What the lint rule on file writes and processes does wrong: a planted use it misses, or one it refuses without cause. */
export function faultsOfPlatformRule(): readonly string[] {
  const refused = `${REFUSED.join('\n')}\n`
  const files = {
    'plugins/a/refused.ts': refused,
    'server/http/refused.ts': refused,
    'plugins/a/allowed.ts': `${ALLOWED.join('\n')}\n`,
    'server/platform/allowed.ts': refused,
    'plugins/a/allowed.test.ts': refused,
  }
  // The rules of this repository, for a tree that is not part of it.
  const config = JSON.parse(readFileSync('biome.json', 'utf8'))
  const own = { ...config, vcs: { enabled: false }, files: {} }
  for (const [path, text] of Object.entries({ ...files, 'biome.json': JSON.stringify(own) })) {
    mkdirSync(dirname(join(FIXTURE, path)), { recursive: true })
    writeFileSync(join(FIXTURE, path), text)
  }
  const options = ['--only=style/noRestrictedImports', '--max-diagnostics=none', '--reporter=github']
  const run = spawnSync(process.execPath, [BIOME, 'lint', ...options, '.'], {
    cwd: FIXTURE,
    encoding: 'utf8',
  })
  rmSync(FIXTURE, { recursive: true })
  const found = new Set(
    [...run.stdout.matchAll(/file=(?:.*\/)?((?:plugins|server)\/[^,]+),line=(\d+)/g)].map(
      ([, path, line]) => `${path}:${line}`,
    ),
  )
  return Object.keys(files).flatMap((path) =>
    (files[path as keyof typeof files].trimEnd().split('\n') as readonly string[]).flatMap((text, at) => {
      const isRefused = found.has(`${path}:${at + 1}`)
      if (isRefused === path.endsWith('/refused.ts')) return []
      return [`${path}: ${isRefused ? 'refuses' : 'misses'} ${text}`]
    }),
  )
}
