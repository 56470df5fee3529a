/** Written by scripts/generate.ts; do not edit. */
export const PAGE_SCRIPT = "\"use strict\";(()=>{document.getElementById(\"room\").textContent=\"satchel\";})();"
export const PAGE_STYLE = "body { margin: 0 }\n"
