/** What has the schemas of a tool. */
interface Schemas {
  readonly input: object
  readonly output: object
}

/** A tool whose schemas may be functions that make them. */
export type Declared<T extends Schemas> = Omit<T, keyof Schemas> & {
  readonly [K in keyof Schemas]: T[K] | (() => T[K])
}

/** The tool with other parts. A copy by `...` would make the schemas. */
export function changedTool<T extends Schemas>(
  tool: Declared<T>,
  { input, output, ...parts }: Partial<Declared<T>>,
): T {
  const own = { ...Object.getOwnPropertyDescriptors(tool), ...Object.getOwnPropertyDescriptors(parts) }
  const schemas = { ...(input && { input: madeOnce(input) }), ...(output && { output: madeOnce(output) }) }
  return Object.defineProperties({}, { ...own, ...schemas }) as T // every part of a tool is there
}

/** Whether nothing is left to make: such a declaration is a tool as it is. */
export function isMade<T extends Schemas>(tool: T | Declared<T>): tool is T {
  return typeof tool.input !== 'function' && typeof tool.output !== 'function'
}

function madeOnce<T extends object>(made: T | (() => T)): PropertyDescriptor {
  if (typeof made !== 'function') return { value: made, enumerable: true }
  let schema: T | undefined
  return {
    get() {
      schema ??= made()
      return schema
    },
    enumerable: true,
  }
}
