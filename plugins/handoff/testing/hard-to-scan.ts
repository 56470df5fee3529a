/** Texts of about a megabyte that make one part of the scan for secrets work as much as it can, by what they repeat. */
export const HARD_TO_SCAN: ReadonlyMap<string, string> = new Map(
  [
    'a',
    'a.',
    'password=',
    'secretsecret',
    `token${'a'.repeat(24)}`,
    'token=aB1!aB1!aB1! ',
    'https://',
    `https://${'a'.repeat(295)}`,
    '-----BEGIN PRIVATE KEY-----',
    `-----BEGIN ${'A'.repeat(40)}`,
    'eyJ',
    'eyJaaaaaaaa.',
    'eyJhbGciOiJub25lIn0.aaaa. ',
    'sk-',
    'authorization:',
    'authorization: bearer ',
    'ASIAABCDEFGHIJKLMNOP ',
    ' -u a:',
    ` -u ${'a'.repeat(99)}`,
    'pass=aB1!aB1!aB1! ',
    '_auth',
    'whsec_',
    'arn:aws:ssm::',
    'ﬁ',
    'e\u0301',
    'ｇｈｐ_',
  ].map((unit) => [unit, unit.repeat(Math.ceil(2 ** 20 / Buffer.byteLength(unit)))]),
)

/** Processor time of one scan of a megabyte (design handoff, section 11). */
export const SCAN_LIMIT_MS = 50
