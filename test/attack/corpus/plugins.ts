/** A handler of a plugin of a third party, as JavaScript, and what its caller must get. */
export interface PluginCase {
  readonly name: string
  /** The body of `async handler(ctx, input)`. */
  readonly handler: string
  /** `served`: the handler goes wrong beside its answer; `fault`: its answer is the error of a log line. */
  readonly expect: 'served' | 'fault' | 'ended'
  /** The body of `headline(output)`; absent: a good one. */
  readonly headline?: string
}

const OK = 'return { value: 1 }'

function fault(name: string, handler: string): PluginCase {
  return { name, handler, expect: 'fault' }
}

function served(name: string, handler: string): PluginCase {
  return { name, handler: `${handler}; ${OK}`, expect: 'served' }
}

/** What handlers throw and return. `PLANTED` is a text that no caller may see. */
const THROWN: readonly PluginCase[] = [
  ['a text', `throw 'PLANTED'`],
  ['nothing', 'throw undefined'],
  ['null', 'throw null'],
  ['a number', 'throw 0'],
  ['a symbol', `throw Symbol('PLANTED')`],
  ['a function', 'throw () => {}'],
  ['an error', `throw new Error('PLANTED')`],
  ['an error of errors', `throw new AggregateError([new Error('PLANTED')], 'PLANTED')`],
  ['an error that is its own cause', `const e = new Error('PLANTED'); e.cause = e; throw e`],
  [
    'an error whose text throws',
    `throw Object.defineProperty(new Error(), 'message', { get() { throw new Error('PLANTED') } })`,
  ],
  [
    'an error whose stack throws',
    `throw Object.defineProperty(new Error(), 'stack', { get() { throw new Error('PLANTED') } })`,
  ],
  [
    'a proxy that throws at everything',
    `throw new Proxy({}, new Proxy({}, { get() { throw new Error('PLANTED') } }))`,
  ],
  ['what is not quite a refusal', `throw { code: 'unauthorized', reason: 'x', message: 'PLANTED' }`],
  ['an object without a prototype', 'throw Object.create(null)'],
  ['a deep object', 'let o = {}; for (let n = 0; n < 100000; n++) o = { o }; throw o'],
  ['a long text', `throw new Error('PLANTED'.repeat(1e6))`],
  ['a stack that overflows', 'const f = () => f() + 1; return f()'],
  ['an abort', `throw new DOMException('PLANTED', 'AbortError')`],
].map(([name, handler]) => fault(`throws ${name}`, handler as string))

const RETURNED: readonly PluginCase[] = [
  ['nothing', 'return undefined'],
  ['null', 'return null'],
  ['a text', `return 'PLANTED'`],
  ['a list', 'return [1]'],
  ['a promise of nothing', 'return Promise.resolve()'],
  ['what the schema forbids', `return { value: 1, more: 'PLANTED' }`],
  ['a large integer', 'return { value: 10n }'],
  ['a cycle', 'const value = {}; value.value = value; return { value }'],
  ['a member that throws', `return { get value() { throw new Error('PLANTED') } }`],
  ['a conversion that throws', `return { value: { toJSON() { throw new Error('PLANTED') } } }`],
  ['a deep value', 'let o = {}; for (let n = 0; n < 100000; n++) o = { o }; return { value: o }'],
].map(([name, handler]) => fault(`returns ${name}`, handler as string))

const BESIDE: readonly PluginCase[] = [
  served('a rejection later', `setTimeout(() => Promise.reject(new Error('late')))`),
  served('an error later', `setTimeout(() => { throw new Error('late') })`),
  served('a rejection with nothing', 'Promise.reject()'),
  served('an emitter without a listener', `setTimeout(() => process.emit('error', new Error('late')))`),
  served('100,000 changes', `for (let n = 0; n < 100000; n++) host.resourceChanged('odd://' + n)`),
  served('progress that is none', `ctx.progress(NaN, -1, {}); ctx.progress(1e999); ctx.progress()`),
  served('progress 10,000 times', 'for (let n = 0; n < 10000; n++) ctx.progress(n, 10000)'),
  served('a log of a cycle', `const o = {}; o.o = o; ctx.log.error('x', o)`),
  served(
    'a log that throws',
    `ctx.log.error('x', { get a() { throw new Error('late') }, b: { toJSON() { throw new Error('late') } } })`,
  ),
  served('a log of a long line', `ctx.log.error('x'.repeat(1e6))`),
  served('changes to its context', `try { ctx.principal.kind = 'operator'; ctx.log = null } catch {}`),
  { name: 'an answer that never comes', handler: 'await new Promise(() => {})', expect: 'ended' },
  served('an answer with a function', 'if (ctx) return { value: () => 1 }'),
  ...[`throw new Error('PLANTED')`, 'return {}'].map(
    (headline): PluginCase => ({
      name: `a headline: ${headline}`,
      handler: OK,
      headline,
      expect: 'served',
    }),
  ),
  { name: 'a headline of a megabyte', handler: OK, expect: 'served', headline: `return 'x'.repeat(1e6)` },
  {
    name: 'a headline of many lines',
    handler: OK,
    expect: 'served',
    headline: `return 'a\\n\\u202e\\u0000b'`,
  },
]

/** Every case of a plugin that goes wrong. */
export const PLUGIN_CASES: readonly PluginCase[] = [...THROWN, ...RETURNED, ...BESIDE]

/** A plugin with a tool for each case: `odd_0` and so on, and `odd_good`. `zod` is where it finds that package. */
export function pluginOf(cases: readonly PluginCase[], zod: string): string {
  const tools = [...cases, { handler: OK, headline: undefined }].map(
    ({ handler, headline = `return 'done'` }, at) => {
      const name = at < cases.length ? `odd_${at}` : 'odd_good'
      return `{
        name: '${name}', title: 'Odd', description: 'Goes wrong.', profile: 'core',
        input: z.object({}), output: z.strictObject({ value: z.unknown() }),
        annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
        http: { method: 'POST', path: '/${name}' }, example: {},
        async handler(ctx, input) { ${handler} },
        headline(output) { ${headline} },
      }`
    },
  )
  return `import { z } from ${JSON.stringify(zod)}
export default {
  name: 'odd', version: '1.0.0', apiVersion: 1, config: z.object({}),
  async setup(host) { return { tools: [${tools.join(',\n')}] } },
}
`
}
