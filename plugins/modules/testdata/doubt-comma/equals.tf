variable "b" {
  default = x = y
}
