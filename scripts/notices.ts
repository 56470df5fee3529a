/** Writes THIRD_PARTY_NOTICES.md: every package whose code is in `dist`, with its licence; refuses a licence that is not on the list. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  'MIT OR Apache-2.0',
  '(MIT OR Apache-2.0)',
]
/** Packages that the bundle's record does not name: their files are copied, or are part of the generated page. */
const COPIED = ['swagger-ui-dist', 'redoc', 'sql.js', 'preact']

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

const metafile: Metafile = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8'))
const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs)
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && path.includes('node_modules/'))
    .map(([path]) => packageFolder(path)),
)
const folders = [...new Set([...bundled, ...COPIED.map((name) => join('node_modules', name))])]
const packages = folders
  .map((folder) => ({ folder, ...manifestOf(folder) }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))
const refused = packages.filter(({ license }) => license === undefined || !ALLOWED.includes(license))
if (refused.length > 0) {
  throw new Error(
    `licences that may not be shipped: ${refused.map(({ name, license }) => `${name} (${license})`).join(', ')}`,
  )
}
writeFileSync(
  'THIRD_PARTY_NOTICES.md',
  `# Third-party notices\n\nCode of these packages is part of satchel's files.\n${packages.map(section).join('')}`,
)

/** The folder of the package a file belongs to; the last `node_modules` of the path counts. */
function packageFolder(path: string): string {
  const at = path.lastIndexOf('node_modules/') + 'node_modules/'.length
  const parts = path.slice(at).split('/')
  return path.slice(0, at) + parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1).join('/')
}

function manifestOf(folder: string): Manifest {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : manifestOf(dirname(folder))
}

function section({ folder, name, version, license }: Manifest & { readonly folder: string }): string {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text =
    file === undefined ? '' : `\n\`\`\`\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\`\n`
  return `\n## ${name} ${version} (${license})\n${text}`
}
