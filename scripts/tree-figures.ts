/**
 * Prints figures of the source tree at one or more revisions as a Markdown table:
 * `node --import ./scripts/typescript.mjs scripts/tree-figures.ts 6d752c4 HEAD`.
 * Reads git objects only. A directory counts as `a/b`; what each row counts is said in `ROWS`.
 */
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'

type Kind = 'product' | 'lab' | 'tests'

interface Source {
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly kind: Kind
}

interface Tree {
  readonly sources: readonly Source[]
  readonly product: readonly Source[]
  /** Imports between product files. */
  readonly imports: readonly { readonly from: string; readonly to: string }[]
}

const MEBI = 2 ** 20
const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

const ROWS: readonly (readonly [name: string, figure: (tree: Tree) => number | string])[] = [
  ['files, product', ({ product }) => product.length],
  ['files, lab', ({ sources }) => of(sources, 'lab').length],
  ['files, tests and fixtures', ({ sources }) => of(sources, 'tests').length],
  ['lines, product', ({ product }) => linesOf(product)],
  ['lines, lab', ({ sources }) => linesOf(of(sources, 'lab'))],
  ['lines, product and lab', ({ sources }) => linesOf(sources) - linesOf(of(sources, 'tests'))],
  ['lines, tests and fixtures', ({ sources }) => linesOf(of(sources, 'tests'))],
  ['median file, product (lines)', ({ product }) => lengths(product)[Math.floor(product.length / 2)] ?? 0],
  ['longest file, product (lines)', ({ product }) => longest(product)],
  ['longest test file (lines)', ({ sources }) => longest(sources.filter(isTestFile))],
  ['imports of a file in a folder above, plugins/modules', (tree) => importsUp(tree, 'plugins/modules')],
  [
    'pairs of folders that import each other, plugins/modules',
    (tree) => folderPairs(tree, 'plugins/modules'),
  ],
  ['pairs of folders that import each other, all', (tree) => folderPairs(tree, '')],
  ['process locks (files that create a lock file)', ({ product }) => named(product, isLock)],
  ['durable writers (files that flush to the disk)', ({ product }) => named(product, isDurableWriter)],
  ['unit tests beside their code (lines)', ({ sources }) => shareBeside(sources)],
]

function treeAt(revision: string): Tree {
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { input, maxBuffer: 256 * MEBI }).toString('latin1')
  const paths = git(['ls-tree', '-r', '--name-only', revision])
    .split('\n')
    .filter(
      (path) => /^(server|plugins|lab|test|scripts\/demo)/.test(path) && /\.(ts|mjs|cjs|js)$/.test(path),
    )
    .filter((path) => !path.includes('/testdata/'))
  // Each object comes as a line `hash type size`, its bytes and a newline; in Latin-1 a byte is a character.
  let batch = git(['cat-file', '--batch'], paths.map((path) => `${revision}:${path}\n`).join(''))
  const sources = paths.map((path) => {
    const start = batch.indexOf('\n') + 1
    const end = start + Number(batch.slice(0, start).split(' ')[2])
    const text = batch.slice(start, end)
    batch = batch.slice(end + 1)
    return { path, text, lines: text.split('\n').length - 1, kind: kindOf(path) }
  })
  const product = of(sources, 'product')
  const known = new Set(product.map(({ path }) => path))
  const imports = product.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .map(([, specifier = '']) => ({ from: path, to: join(dirname(path), specifier) }))
      .filter(({ to }) => known.has(to)),
  )
  return { sources, product, imports }
}

function kindOf(path: string): Kind {
  if (/\.test\.ts$|^test\/|\/testing\//.test(path)) return 'tests'
  return /^lab\/|\/(bench|torture)\/|^scripts\/demo/.test(path) ? 'lab' : 'product'
}

function of(sources: readonly Source[], kind: Kind): readonly Source[] {
  return sources.filter((source) => source.kind === kind)
}

function linesOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { lines }) => sum + lines, 0)
}

function lengths(sources: readonly Source[]): readonly number[] {
  return sources.map(({ lines }) => lines).sort((a, b) => a - b)
}

function longest(sources: readonly Source[]): string {
  const [first] = [...sources].sort((a, b) => b.lines - a.lines)
  return first ? `${first.lines} (${first.path})` : '0'
}

function isTestFile({ path }: Source): boolean {
  return path.endsWith('.test.ts')
}

/** Imports from a folder below `area` of a file that lies in `area` itself; its `config.ts`, `reasons.ts` and `errno.ts` are open to all. */
function importsUp({ imports }: Tree, area: string): number {
  return imports.filter(
    ({ from, to }) =>
      from.startsWith(`${area}/`) &&
      dirname(to) === area &&
      dirname(from) !== area &&
      !/\/(config|reasons|errno)\.ts$/.test(to),
  ).length
}

function folderPairs({ imports }: Tree, area: string): number {
  const folders = imports
    .filter(({ from, to }) => from.startsWith(area) && to.startsWith(area))
    .map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }))
    // A folder and one inside it are one thing read from two sides.
    .filter(({ from, to }) => !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`))
  const edges = new Set(folders.map(({ from, to }) => `${from} ${to}`))
  return [...edges].filter((edge) => {
    const [from = '', to = ''] = edge.split(' ')
    return from < to && edges.has(`${to} ${from}`)
  }).length
}

function named(product: readonly Source[], is: (source: Source) => boolean): string {
  const found = product.filter(is).map(({ path }) => path)
  return `${found.length} (${found.join(', ')})`
}

function isLock({ path, text }: Source): boolean {
  return /lock(-file)?\.ts$/.test(path) && /\.link\(|'wx'/.test(text)
}

/** Opens a file or folder and flushes it itself, instead of asking another file to. */
function isDurableWriter({ text }: Source): boolean {
  return /\.sync\(\)|\.datasync\(\)|fsyncSync\(|fdatasyncSync\(|fsync\(/.test(text)
}

/** Of the lines of unit tests (those outside `test/`) and journeys together, the share beside the code. */
function shareBeside(sources: readonly Source[]): string {
  const tests = sources.filter(isTestFile)
  const beside = tests.filter(({ path }) => !path.startsWith('test/'))
  return `${Math.round((100 * linesOf(beside)) / linesOf(tests))} % (${linesOf(beside)} of ${linesOf(tests)})`
}

const revisions = process.argv.slice(2)
const trees = (revisions.length > 0 ? revisions : ['HEAD']).map(treeAt)
const table = [
  ['', ...revisions],
  ['---', ...revisions.map(() => '---:')],
  ...ROWS.map(([name, figure]) => [name, ...trees.map((tree) => String(figure(tree)))]),
]
console.log(table.map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
