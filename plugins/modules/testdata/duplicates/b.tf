variable "x" {
  default = 3
}

output "y" {
  value = 1
}

output "y" {
  value = 2
}
