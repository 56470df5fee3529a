variable "z" {
  default = 1
  default = 2
}
