// Serves the sample plugin over this process's own stdin and stdout, as `satchel mcp` does.
import { assetPath } from '../../assets.ts'
import { createHost } from '../../host.ts'
import { createLog } from '../../log.ts'
import { serveStdio } from '../stdio.ts'
import { samplePlugin } from './sample-plugin.ts'

const write = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

const log = createLog(
  'error',
  (line) => process.stderr.write(line),
  () => new Date(),
)
const boot = createHost([{ plugin: samplePlugin().plugin, config: {}, source: 'test' }], {
  log,
  now: () => new Date(),
  projectRoot: process.cwd(),
  configFile: undefined,
  env: {},
  filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
  assetPath,
  openListener: () => Promise.reject(new Error('no listener')),
})
const code = await serveStdio({
  boot,
  version: '1.0.0',
  log,
  resolvePath: async (path) => path,
  io: {
    stdin: process.stdin,
    stdout: {
      write: (text, done) => write(text, done),
      on: (event, listener) => process.stdout.on(event, listener),
      isTTY: false,
      columns: undefined,
    },
  },
})
process.exit(code)
