variable "traversal" {
  default = a.b
}
variable "same_text" {
  default = "a.b"
}
variable "call" {
  default = merge({ a = 1 }, {
    b = 2
  })
}
variable "operator" {
  default = 1 + 2
}
variable "conditional" {
  default = true ? 1 : 2
}
variable "for" {
  default = [for x in ["a"] : x]
}
variable "for_object" {
  default = { for k, v in {} : k => v... }
}
variable "splat" {
  default = a[*].b
}
variable "parentheses" {
  default = (1)
}
variable "index" {
  default = ["a"][0]
}
variable "function_of_provider" {
  default = provider::time::rfc3339_parse("2024-01-01T00:00:00Z")
}
variable "inside" {
  default = { a = 1, b = var.x }
}
variable "computed_key" {
  default = { (var.x) = 1 }
}
variable "not" {
  default = !true
}
output "object" {
  value = {
    id   = aws_vpc.this.id
    name = "x"
  }
}
output "template" {
  value = "id-${aws_vpc.this.id}"
}
output "literal" {
  value = ["a", { b = null }]
}
module "computed" {
  source = "git::https://example.com/x.git?ref=${local.ref}"
}
