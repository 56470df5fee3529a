variable "not_in_variables_tf" {
  default = ["a", "b", "c"]
}
variable "null_default" {
  default = null
}
