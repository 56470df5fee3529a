variable "before" {
  type = string
}

variable "broken" {
  type    = list(string)
  default = ["a", "b"
}

variable "after" {
  type    = string
  default = "x"
}

output "last" {
  value = var.after
}
