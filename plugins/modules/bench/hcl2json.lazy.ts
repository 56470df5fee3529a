import { parse } from '@cdktf/hcl2json'

/** The reference parser in this thread, for measuring it: `(file name, text) => structure`. */
export const parseWithReference: (name: string, text: string) => Promise<unknown> = parse
