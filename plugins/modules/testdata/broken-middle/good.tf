variable "other_file" {
  default = 1
}
