/** The flags of every verb as help shows them, without `-c` for a verb that defines it. */
export const GLOBAL_ROWS: readonly { readonly verb: string; readonly summary: string }[] = [
  { verb: '--json', summary: 'print one JSON document' },
  { verb: '-q, --quiet', summary: 'no notes on stderr' },
  { verb: '-c, --config <file>', summary: 'configuration file (default: ./satchel.yaml)' },
  { verb: '--project <dir>', summary: 'project root (default: the git root)' },
]
