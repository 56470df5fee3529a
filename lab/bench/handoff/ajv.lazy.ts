import { Ajv, type ValidateFunction } from 'ajv'

/** The schema as ajv compiles it at run time: the peer of the generated validator. */
export function compileWithAjv(schema: object): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
  ajv.addFormat('uuid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
  return ajv.compile(schema)
}
