variable "none" {}
variable "quoted" {
  type = "string"
}
variable "legacy_list" {
  type = "list"
}
variable "nested" {
  type = map(object({
    # how many
    count = number
    tags  = optional(map(string), {
      a = "b"
    })
  }))
}
variable "any" {
  type = any
}
variable "expressions" {
  type        = string
  description = "Uses ${path.module}"
}
