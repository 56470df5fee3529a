variable "a" { default = 1 } variable "b" { default = 2 }
variable "c" {
  type = string default = "x"
}
variable "d" { default = 1
}
