/** CPU time of our reader beside the reference parser's, over the same files. */

import { extractFacts } from '../../../plugins/modules/hcl/facts.ts'
import { readHcl } from '../../../plugins/modules/hcl/reader.ts'
import { type Figure, figureOf } from '../figure.ts'
import { cpuMs, leastOf } from '../timing.ts'

/** design modules 8: parse CPU against hcl2json's, literals evaluated, both warm. */
const PARSE_GOAL = 1 / 20

const ROUNDS = 5

/** Measures both over the same HCL texts in this thread, in turns, after one warm pass of each. */
export async function measureParsing(texts: readonly string[]): Promise<Figure> {
  const { loadReferenceParser } = await import('./hcl2json.lazy.ts')
  const parseWithReference = loadReferenceParser()
  const ours = async (): Promise<void> => {
    for (const text of texts) extractFacts(readHcl(text))
  }
  const reference = async (): Promise<void> => {
    for (const text of texts) await parseWithReference('module.tf', text)
  }
  await cpuMs(reference)
  await cpuMs(ours)
  const best = await leastOf(ROUNDS, { ours: () => cpuMs(ours), reference: () => cpuMs(reference) })
  return figureOf({
    name: 'modules.parse',
    what: 'CPU of our reader, literals evaluated',
    unit: 'ms',
    ours: best.ours,
    against: best.reference,
    against_what: 'hcl2json',
    goal: PARSE_GOAL,
  })
}

/** Module files of the usual make (inputs, blocks in blocks, heredocs, expressions), for where no corpus is at hand. */
export function sampleTexts(files: number): string[] {
  return Array.from({ length: files }, (_, file) =>
    Array.from({ length: 12 }, (_, at) => sampleBlocks(file, at)).join('\n'),
  )
}

function sampleBlocks(file: number, at: number): string {
  return `variable "rules_${file}_${at}" {
  description = "Rules of group ${at}, in the order in which they apply"
  type = map(object({
    port     = number
    protocol = optional(string, "tcp")
    ranges   = optional(list(string), ["10.0.0.0/8"])
  }))
  default = {
    web = { port = 443, ranges = ["10.0.0.0/16", "192.168.0.0/16"] }
    ssh = { port = ${22 + at} }
  }
  nullable = false
}

# One group for each entry
resource "aws_security_group" "group_${at}" {
  for_each = { for name, rule in var.rules_${file}_${at} : name => rule if rule.port > ${at} }

  name        = "\${var.prefix}-\${each.key}"
  description = <<-EOT
    Group \${each.key}
    of port \${each.value.port}
  EOT

  dynamic "ingress" {
    for_each = each.value.ranges
    content {
      from_port   = each.value.port
      to_port     = each.value.port
      cidr_blocks = [ingress.value]
    }
  }

  tags = merge(var.tags, { Name = format("%s-%s", var.prefix, each.key) })
}

output "group_ids_${file}_${at}" {
  description = "Ids of the groups by name"
  value       = { for name, group in aws_security_group.group_${at} : name => group.id }
}
`
}
