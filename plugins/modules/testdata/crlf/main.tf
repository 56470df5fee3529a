variable "plain" {
  default = <<EOT
one
  two
EOT
}

variable "flush" {
  default = <<-EOT
    one

      two
  EOT
}

variable "directive" {
  description = <<-EOT
    %{ if true ~}
    Said ${upper("so")}.
    %{ endif ~}
  EOT
  type = object({
    a = string
  })
}
