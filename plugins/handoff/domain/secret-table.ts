import { isJwt } from './json-web-token.ts'
import {
  hasDigitAndLetter,
  isRandomKey,
  isStrong,
  isUserInfo,
  isWordy,
  mixed,
  THREE_DIGITS,
} from './secret-values.ts'

/** A value in the query of a URL ends before the next parameter. */
const withoutParameters = (value: string) => value.split(/&[\w.-]{1,60}=/, 1)[0] ?? value

/** A rule for secrets in a text, beside the kinds of tokens in `secret-kinds.ts`. Every pattern runs in linear time: bounded prefixes, one greedy tail. */
export interface Rule {
  readonly name: string
  /** Each match begins with one of these, in any case, or `lead` characters before it. */
  readonly words: readonly string[]
  readonly lead?: 1
  /** Sticky: it is asked only where one of the words is. */
  readonly pattern: RegExp
  /** The length of the public prefix that a preview may show. */
  readonly shown: number
  /** Judges a match: the secret, and all of it with its name. */
  accept?(secret: string, whole: string): boolean
}

/** A name of two words, in its three spellings. */
const named = (first: string, second: string) => ['', '_', '-'].map((sign) => first + sign + second)
const SECRET_WORDS = [
  ...['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'credential'],
  ...['api', 'access', 'private'].flatMap((kind) => named(kind, 'key')),
]
const KEY_WORDS = [
  ...['api', 'account', 'secret', 'access', 'private', 'encryption', 'signing', 'master', 'app'].flatMap(
    (kind) => named(kind, 'key'),
  ),
  ...['api', 'client', 'app'].flatMap((kind) => named(kind, 'secret')),
  ...['access', 'auth'].flatMap((kind) => named(kind, 'token')),
  ...['password', 'passwd'],
]

const FLAG_WORDS = [
  ...[
    'password',
    'passphrase',
    'token',
    'api-key',
    'secret-key',
    'client-secret',
    'access-token',
    'auth-token',
  ],
].map((name) => `--${name}`)
const ELEMENT_WORDS = ['password>', 'passphrase>', 'secret>', 'token>', 'apikey>', 'api-key>']

/** The first three characters of a number of 17 digits or more in Base64. */
const DISCORD_WORDS = ['mt', 'mj', 'mz', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'].flatMap((start) =>
  [...'aeimquycgk'].map((third) => start + third),
)

// design handoff, section 11; each pattern ends with the secret, its group 1
export const RULES: readonly Rule[] = [
  { name: 'aws_key', words: ['akia', 'asia'], pattern: /\b(A[KS]IA[A-Z0-9]{16})\b/y, shown: 4 },
  {
    name: 'github_token',
    words: ['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_'],
    pattern: /\b(gh[opsur]_[A-Za-z0-9]{20,})/y,
    shown: 4,
  },
  { name: 'github_token', words: ['github_pat_'], pattern: /\b(github_pat_[A-Za-z0-9_]{20,})/y, shown: 11 },
  { name: 'gitlab_token', words: ['glpat-'], pattern: /\b(glpat-[A-Za-z0-9_-]{16,})/y, shown: 6 },
  { name: 'slack_token', words: ['xox'], pattern: /\b(xox[a-z]-[A-Za-z0-9-]{10,})/y, shown: 5 },
  { name: 'anthropic_key', words: ['sk-ant-'], pattern: /\b(sk-ant-[A-Za-z0-9_-]{16,})/y, shown: 7 },
  {
    name: 'api_key',
    words: ['sk-'],
    pattern: /\b(sk-[A-Za-z0-9_-]{20,})/y,
    shown: 3,
    accept: hasDigitAndLetter,
  },
  { name: 'google_key', words: ['aiza'], pattern: /\b(AIza[0-9A-Za-z_-]{35})/y, shown: 4 },
  { name: 'atlassian_token', words: ['atatt3'], pattern: /\b(ATATT3[A-Za-z0-9_=-]{60,})/y, shown: 6 },
  {
    name: 'stripe_webhook',
    words: ['whsec_'],
    pattern: /\b(whsec_[A-Za-z0-9+/=]{24,})/y,
    shown: 6,
    accept: hasDigitAndLetter,
  },
  { name: 'npm_token', words: ['npm_'], pattern: /\b(npm_[A-Za-z0-9]{30,})/y, shown: 4 },
  { name: 'pypi_token', words: ['pypi-'], pattern: /\b(pypi-[A-Za-z0-9_-]{16,})/y, shown: 5, accept: mixed },
  { name: 'huggingface_token', words: ['hf_'], pattern: /\b(hf_[A-Za-z0-9]{20,})/y, shown: 3 },
  {
    name: 'telegram_token',
    words: [':aa'],
    // Before the colon is the number of the bot.
    pattern: /(?<=(?<![0-9])[0-9]{8,10}):(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/y,
    shown: 2,
    accept: hasDigitAndLetter,
  },
  {
    name: 'discord_token',
    words: DISCORD_WORDS,
    // Before the first point is the number of the bot in Base64.
    pattern:
      /\b((?:M[Tjz]|N[DTjz]|O[DT])[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{19,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})(?![A-Za-z0-9_-])/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'jwt',
    words: ['eyj'],
    pattern: /\b(eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,20000}\.[A-Za-z0-9_-]*)/y,
    shown: 3,
    accept: isJwt,
  },
  {
    name: 'url_user_info',
    words: ['http://', 'https://', 'ws://', 'wss://', 'ftp://', 'git+https://'],
    pattern: /\b(?:https?|wss?|ftp|git\+https):\/\/([^\s/@?#"'<>]{3,300})(?=@)/iy,
    shown: 0,
    accept: isUserInfo,
  },
  {
    name: 'url_user_info',
    words: ['://'],
    // The user may be empty, as in the address of a cache.
    pattern: /:\/\/([^\s/@?#"'<>:]{0,100}:[^\s/@?#"'<>]{1,300})(?=@)/y,
    shown: 0,
  },
  {
    name: 'command_user',
    words: ['-u', '--user', '--proxy-user'],
    lead: 1,
    pattern: /\s(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'`/]{1,100}:([^\s"'`]{6,300})/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'authorization',
    words: ['authorization'],
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:bearer|basic|token|digest)[ \t]{1,4}([^\s"',;]{8,})/iy,
    shown: 0,
  },
  {
    name: 'authorization',
    words: ['authorization'],
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([^\s"',;]{12,})/iy,
    shown: 0,
    accept: isStrong,
  },
  {
    name: 'bearer',
    words: ['bearer'],
    pattern: /\bbearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/iy,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'assigned_secret',
    // A longer name is refused first: it would be walked back letter by letter.
    words: SECRET_WORDS,
    pattern:
      /(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)(?![A-Za-z0-9_-]{25})[A-Za-z0-9_-]{0,24}["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/iy,
    shown: 0,
    accept: (secret) => isStrong(withoutParameters(secret)),
  },
  {
    name: 'assigned_secret',
    words: ['pass', 'pw', 'auth'],
    pattern: /(?<![A-Za-z0-9])(?:pass|pw|auth)["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/iy,
    shown: 0,
    // `auth: OAuth2.0-PKCE` names a way, not a secret.
    accept: (secret, whole) =>
      isStrong(secret) && (THREE_DIGITS.test(secret) || !/^.?auth/i.test(whole)) && !isWordy(secret),
  },
  {
    name: 'assigned_key',
    words: KEY_WORDS,
    pattern:
      /(?:(?:api|account|secret|access|private|encryption|signing|master|app)[_-]?key|(?:api|client|app)[_-]?secret|(?:access|auth)[_-]?token|password|passwd)["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["'`]?(?:base64:)?([A-Za-z0-9_+/=.-]{16,200})(?![A-Za-z0-9_(.[])/iy,
    shown: 0,
    accept: isRandomKey,
  },
  {
    name: 'assigned_secret',
    // Of a variable of the environment; other names may have a digest.
    words: ['_token', '_secret', '_password'],
    lead: 1,
    pattern:
      /[A-Z0-9]_(?:TOKEN|SECRET|PASSWORD)["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?([0-9a-f]{32,128})(?![A-Za-z0-9])/y,
    shown: 0,
    accept: isRandomKey,
  },
  {
    name: 'command_secret',
    words: FLAG_WORDS,
    pattern:
      /--(?:password|passphrase|token|api-key|secret-key|client-secret|access-token|auth-token)[ \t]{1,4}["']?([^\s"'`]{12,300})/iy,
    shown: 0,
    accept: isRandomKey,
  },
  {
    name: 'command_secret',
    words: ['sshpass', 'redis-cli'],
    pattern: /(?:sshpass|redis-cli)[ \t][^\n]{0,60}?(?<=[ \t])-[ap][ \t]{0,4}["']?([^\s"'`]{6,300})/iy,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'command_secret',
    words: ['docker login', 'podman login', 'helm registry login'],
    pattern:
      /(?:docker|podman|registry)[ \t]login[ \t][^\n]{0,60}?(?<=[ \t])-p[ \t]{1,4}["']?([^\s"'`]{6,300})/iy,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'command_secret',
    words: ['mysql', 'mariadb'],
    // The password follows without a space.
    pattern: /(?:mysql|mariadb)[a-z]{0,8}[ \t][^\n]{0,60}?(?<=[ \t])-p["']?([^\s"'`]{6,300})/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'netrc_password',
    words: ['machine'],
    pattern:
      /machine[ \t]{1,4}[^\s]{1,100}[ \t]{1,4}login[ \t]{1,4}[^\s]{1,100}[ \t]{1,4}password[ \t]{1,4}([^\s]{6,300})/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'pgpass_password',
    words: [':5432:'],
    pattern: /:5432:[^\s:]{1,63}:[^\s:]{1,63}:([^\s:]{6,300})/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'element_secret',
    words: ELEMENT_WORDS,
    pattern: /(?:password|passphrase|secret|token|api-?key)>([^<>\s]{8,300})(?=<\/)/iy,
    shown: 0,
    accept: isRandomKey,
  },
  {
    name: 'cookie',
    words: ['cookie'],
    pattern:
      /\bcookie["']?:[ \t]{0,4}["']?[\w.-]{0,30}(?:sess|sid|auth|token|jwt)[\w.-]{0,30}=([^\s"';,]{16,2000})/iy,
    shown: 0,
    accept: (secret) => isStrong(secret) && isRandomKey(secret),
  },
]

/** The name of a member that may hold a secret as its whole value: `{"password": "…"}`. */
export const SECRET_NAME =
  /pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|credential|authorization|(?:^|[_-])(?:pass|pw)$/i
