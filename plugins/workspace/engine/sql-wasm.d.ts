/** The one build of sql.js we load; its types are those of the package. */
declare module 'sql.js/dist/sql-wasm.js' {
  export { default } from 'sql.js'
}
