variable "bare_cr" {
  default = <<EOT
onetwo
EOT
}
