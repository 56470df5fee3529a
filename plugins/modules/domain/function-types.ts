/** What functions of Terraform and OpenTofu give, where that does not depend on their arguments. */
import type { ValueType } from './value-type.ts'

const NAMES: Readonly<Partial<Record<ValueType['kind'], string>>> = {
  string: `abspath base64decode base64encode base64gunzip base64gzip base64sha256 base64sha512 basename bcrypt chomp cidrhost
    cidrnetmask cidrsubnet dirname file filebase64 filebase64sha256 filebase64sha512 filemd5 filesha1 filesha256
    filesha512 format formatdate indent join jsonencode lower md5 pathexpand plantimestamp replace rsadecrypt sha1
    sha256 sha512 strrev substr textdecodebase64 textencodebase64 timeadd timestamp title tostring trim trimprefix
    trimspace trimsuffix upper urldecode urlencode uuid uuidv5 yamlencode`,
  number: 'abs ceil floor index length log max min parseint pow signum sum timecmp tonumber',
  bool: 'alltrue anytrue can cidrcontains contains endswith fileexists issensitive startswith strcontains tobool',
  sequence: `chunklist cidrsubnets compact concat csvdecode distinct flatten formatlist keys matchkeys range regexall
    reverse setproduct slice sort split values`,
  mapping: 'merge transpose zipmap',
}

const TYPES: ReadonlyMap<string, ValueType> = new Map(
  Object.entries(NAMES).flatMap(
    ([kind, names]) => names.split(/\s+/).map((name) => [name, { kind } as ValueType] as const), // kinds that have nothing more
  ),
)

const OF_ANYTHING = { kind: 'any' } as const
const COLLECTIONS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['tolist', { kind: 'list', of: OF_ANYTHING }],
  ['toset', { kind: 'set', of: OF_ANYTHING }],
  ['setintersection', { kind: 'set', of: OF_ANYTHING }],
  ['setsubtract', { kind: 'set', of: OF_ANYTHING }],
  ['setunion', { kind: 'set', of: OF_ANYTHING }],
  ['fileset', { kind: 'set', of: OF_ANYTHING }],
  ['tomap', { kind: 'map', of: OF_ANYTHING }],
])

/** Undefined for a function whose result depends on what it is given. */
export function functionType(name: string): ValueType | undefined {
  const own = name.replace(/^core::/, '')
  return TYPES.get(own) ?? COLLECTIONS.get(own)
}
