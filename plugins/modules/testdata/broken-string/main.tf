variable "first" {
  default = "no end
  type    = string
}

variable "last" {
  default = 2
}
