variable "e" {
  default = 1 }
