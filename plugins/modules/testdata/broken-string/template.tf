variable "open_template" {
  default = "${lookup(a, b"
}

variable "after_template" {
}
