variable "first" {
  default = 1
}

variable "script" {
  description = <<-EOT
    no end
}

variable "last" {
  default = 2
}
