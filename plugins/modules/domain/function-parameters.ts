/** What functions of Terraform and OpenTofu take. */
import { parseType, type TypeConstraint } from './type-constraint.ts'

/** `null` is taken where `isNullable`. */
export interface Parameter {
  readonly type: TypeConstraint
  readonly isNullable: boolean
}

/** `more`: what any number of further arguments are. */
export interface Parameters {
  readonly fixed: readonly Parameter[]
  readonly more?: Parameter
}

/**
 * Names by what they take, as `terraform metadata functions` (1.11) has it; of values that may be of several types, a list
 * or map of anything where the function takes no other. `?`: also null. The last rows: what is not to be judged.
 */
const NAMES: Readonly<Record<string, string>> = {
  '': 'plantimestamp timestamp uuid',
  string: `abspath base64decode base64encode base64gunzip base64gzip base64sha256 base64sha512 basename chomp cidrnetmask
    csvdecode dirname file filebase64 filebase64sha256 filebase64sha512 fileexists filemd5 filesha1 filesha256
    filesha512 jsondecode lower md5 pathexpand sha1 sha256 sha512 strrev title trimspace upper urldecode urlencode
    yamldecode`,
  'string; string': `cidrcontains endswith fileset formatdate regex regexall rsadecrypt split startswith strcontains
    textdecodebase64 textencodebase64 timeadd timecmp trim trimprefix trimsuffix uuidv5`,
  'string; string; string': 'replace',
  'string; number': 'cidrhost',
  'string; number; number': 'cidrsubnet substr',
  'string; number...': 'bcrypt cidrsubnets',
  'string; map(any)': 'templatefile templatestring',
  'string; any?...': 'format formatlist',
  'string; list(string)...': 'join',
  number: 'abs ceil floor signum',
  'number; number': 'log pow',
  'number; string': 'indent',
  'number...': 'max min range',
  'list(any)': 'flatten one reverse sum',
  'list(any); any': 'contains index',
  'list(any); number': 'chunklist element',
  'list(any); number; number': 'slice',
  'list(any); list(any); list(any)': 'matchkeys',
  'list(any)...': 'concat setproduct',
  'list(any)?...': 'coalescelist',
  'list(bool)': 'alltrue anytrue',
  'list(string)': 'compact sort',
  'list(string); list(any)': 'zipmap',
  'set(any)': 'distinct',
  'set(any); set(any)': 'setsubtract',
  'set(any); set(any)...': 'setintersection setunion',
  'map(any)': 'keys values',
  'map(any); string; any?...': 'lookup',
  'map(any)?...': 'merge',
  'map(list(string))': 'transpose',
  'list(any)?': 'tolist toset',
  'map(any)?': 'tomap',
  'string?': 'tostring',
  'number?': 'tonumber',
  'bool?': 'tobool',
  any: 'length',
  'any; number': 'parseint',
  'any?': 'ephemeralasnull issensitive jsonencode nonsensitive sensitive yamlencode',
  'any?...': `can coalesce convert defaults list map try type assumeequal assumelistlength assumelistlengthmax assumelistlengthmin
    assumemaplength assumemaplengthmax assumemaplengthmin assumenotnull assumesetlength assumesetlengthmax
    assumesetlengthmin assumestringprefix`,
}

const PARAMETERS: ReadonlyMap<string, Parameters> = new Map(
  Object.entries(NAMES).flatMap(([taken, names]) => {
    const parameters = parametersIn(taken)
    return names.split(/\s+/).map((name) => [name, parameters] as const)
  }),
)

function parametersIn(taken: string): Parameters {
  const parts = taken === '' ? [] : taken.split('; ')
  const all = parts.map((part) => {
    const [type = ''] = part.split(/[?.]/, 1)
    return { type: parseType(type), isNullable: part.includes('?') }
  })
  const more = taken.endsWith('...') ? all.at(-1) : undefined
  return more === undefined ? { fixed: all } : { fixed: all.slice(0, -1), more }
}

/** Undefined where neither program has such a function. */
export function functionParameters(name: string): Parameters | undefined {
  return PARAMETERS.get(name)
}

/** The names of all functions. */
export function functionNames(): readonly string[] {
  return [...PARAMETERS.keys()]
}
