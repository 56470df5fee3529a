import type { HttpOptions } from '../exchange.ts'

export const OPTIONS: HttpOptions = {
  version: '1',
  description: 'x',
  allowedHosts: [],
  allowedOrigins: [],
  resolvePath: async (path) => path,
  assetPath: (file) => file,
}
