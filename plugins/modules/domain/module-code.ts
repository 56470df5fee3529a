/** What the code of a module is compared by: its blocks, and the other files that it uses. */

/** One block with its attributes by path (`lifecycle.ignore_changes`), each as canonical text or a digest of it. */
export interface CodeBlock {
  /** `aws_vpc.this`, `data.aws_ami.this`, `module.label`, `local.name`, `output.id`, `var.name`, `terraform`, … */
  readonly address: string
  readonly attributes: Readonly<Record<string, string>>
}

/** The code of one file. */
export interface FileCode {
  readonly blocks: readonly CodeBlock[]
  /** Paths that it names relative to its module: `templates/user_data.sh`, `./modules/label`. */
  readonly uses: readonly string[]
}

/** The code of one module directory at one commit. */
export interface ModuleCode {
  /** Name and object id of each module file. */
  readonly files: ReadonlyMap<string, string>
  readonly blocks: readonly CodeBlock[]
  /** What the code uses beside its own files, by repository path: the digest of the content. */
  readonly uses: ReadonlyMap<string, string>
  /** The nested modules among them. */
  readonly nested: ReadonlyMap<string, ModuleCode>
}

/** Begins a digest, which is kept of a longer text. No HCL value starts with it. */
export const DIGEST_MARK = '#'

/** Whether the text of an attribute was kept, not only its digest. */
export function isKept(text: string): boolean {
  return !text.startsWith(DIGEST_MARK)
}

const REMOVED = 'removed.'

/** What `removed` blocks drop from the state without destroying it. */
export function forgottenAddresses({ blocks }: Pick<ModuleCode, 'blocks'>): ReadonlySet<string> {
  const forgetting = blocks.filter(
    ({ address, attributes }) => address.startsWith(REMOVED) && attributes['lifecycle.destroy'] === 'false',
  )
  return new Set(forgetting.map(({ address }) => address.slice(REMOVED.length)))
}

/** The blocks by address; those of one address (duplicates, overrides) are one, the last statement of an attribute counts. */
export function blocksByAddress(code: ModuleCode): ReadonlyMap<string, CodeBlock['attributes']> {
  const found = new Map<string, CodeBlock['attributes']>()
  for (const { address, attributes } of code.blocks) {
    const known = found.get(address)
    found.set(address, known === undefined ? attributes : { ...known, ...attributes })
  }
  return found
}
