variable "y" {
  default.value = 1
}
